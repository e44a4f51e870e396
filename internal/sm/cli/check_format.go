package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/check"
	"skillforge/internal/sm"
)

var formats = []string{"text", "json", "sarif", "github", "junit"}

// issueLine finds the lines in the message of an issue.
var issueLine = regexp.MustCompile(`(?m)^L(\d+)(?:,\d+)*: `)

// placeOf is the first line that an issue speaks of, 1 when it names none, and
// its message on one line.
func placeOf(is *skillmap.Issue) (line int, text string) {
	line = 1
	if m := issueLine.FindStringSubmatch(is.Message); m != nil {
		line, _ = strconv.Atoi(m[1])
	}
	text = issueLine.ReplaceAllString(is.Message, "")
	return line, strings.Join(strings.Fields(text), " ")
}

// fingerprint tells issues apart whatever line they stand on.
func fingerprint(is *skillmap.Issue) string {
	_, text := placeOf(is)
	if t := is.Target(); t != "" {
		text = t
	}
	ids := slices.Sorted(slices.Values(is.NodeIDs))
	return is.AnalyzerID + "\x00" + strings.Join(ids, "\x00") + "\x00" + text
}

// printOf is a short form of the fingerprint, which services keep.
func printOf(is *skillmap.Issue) string {
	sum := sha256.Sum256([]byte(fingerprint(is)))
	return hex.EncodeToString(sum[:16])
}

// format writes issues in a form that a service for continuous integration
// reads.
func (s *session) format(form string, issues []*skillmap.Issue) error {
	switch form {
	case "sarif":
		return s.emit(sarifOf(issues))
	case "github":
		for _, is := range issues {
			s.printf("%s\n", githubLine(is))
		}
		return nil
	}
	text, err := xml.MarshalIndent(junitOf(issues), "", "  ")
	if err != nil {
		return err
	}
	return s.write(append([]byte(xml.Header), append(text, '\n')...))
}

// githubLine is an issue as a workflow command.
func githubLine(is *skillmap.Issue) string {
	level := map[skillmap.Severity]string{skillmap.Error: "error", skillmap.Warn: "warning", skillmap.Info: "notice"}[is.Severity]
	line, text := placeOf(is)
	return fmt.Sprintf("::%s file=%s,line=%d,title=%s::%s", level, githubProperty(is.NodeIDs[0]), line, githubProperty(is.AnalyzerID), githubText(text))
}

func githubText(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func githubProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}

// The shape of a SARIF 2.1.0 log, as far as it is used.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string            `json:"ruleId"`
		Level     string            `json:"level"`
		Message   sarifText         `json:"message"`
		Locations []sarifLocation   `json:"locations"`
		Prints    map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region struct {
				Line int `json:"startLine"`
			} `json:"region"`
		} `json:"physicalLocation"`
	}
)

func sarifOf(issues []*skillmap.Issue) sarifLog {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: sm.Name, Version: sm.Version, Rules: []sarifRule{}}}, Results: []sarifResult{}}
	known := map[string]bool{}
	for _, is := range issues {
		if !known[is.AnalyzerID] {
			known[is.AnalyzerID] = true
			rule := sarifRule{ID: is.AnalyzerID, Short: sarifText{is.AnalyzerID}}
			if a := check.ByID(is.AnalyzerID); a != nil {
				rule.Short.Text = a.Description
			}
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		}
		line, text := placeOf(is)
		r := sarifResult{
			RuleID: is.AnalyzerID, Message: sarifText{text}, Prints: map[string]string{"skillmap/v1": printOf(is)},
			Level: map[skillmap.Severity]string{skillmap.Error: "error", skillmap.Warn: "warning", skillmap.Info: "note"}[is.Severity],
		}
		for i, id := range is.NodeIDs {
			var at sarifLocation
			at.Physical.Artifact.URI = (&url.URL{Path: id}).String()
			at.Physical.Region.Line = 1
			if i == 0 {
				at.Physical.Region.Line = line
			}
			r.Locations = append(r.Locations, at)
		}
		run.Results = append(run.Results, r)
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Failure *junitFailure `xml:"failure,omitempty"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
	}
)

// junitOf has a suite for each rule; an error is a failure, all else is a case
// that passed and says something.
func junitOf(issues []*skillmap.Issue) junitSuites {
	var out junitSuites
	at := map[string]int{}
	for _, is := range issues {
		i, ok := at[is.AnalyzerID]
		if !ok {
			i = len(out.Suites)
			at[is.AnalyzerID] = i
			out.Suites = append(out.Suites, junitSuite{Name: is.AnalyzerID})
		}
		line, text := placeOf(is)
		c := junitCase{Name: fmt.Sprintf("%s:%d", is.NodeIDs[0], line), Class: is.AnalyzerID}
		if is.Severity == skillmap.Error {
			c.Failure = &junitFailure{Type: string(is.Severity), Message: text}
			out.Suites[i].Failures++
		} else {
			c.Out = string(is.Severity) + ": " + text
		}
		out.Suites[i].Tests++
		out.Suites[i].Cases = append(out.Suites[i].Cases, c)
	}
	return out
}

// readBaseline reads issues that `sm check --json` or `sm scan --json` wrote.
func readBaseline(text []byte) ([]skillmap.Issue, error) {
	var list []skillmap.Issue
	if err := json.Unmarshal(text, &list); err == nil {
		return list, nil
	}
	var whole struct{ Issues []skillmap.Issue }
	err := json.Unmarshal(text, &whole)
	return whole.Issues, err
}
