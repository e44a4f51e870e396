package skillmap

// ScanResult is the whole map at one moment.
type ScanResult struct {
	SchemaVersion  int         `json:"schemaVersion"` // 1
	ScannedAt      int64       `json:"scannedAt"`     // unix milliseconds
	Roots          []string    `json:"roots"`
	Providers      []string    `json:"providers"` // every known one, in registration order
	ScannedBy      *ScannedBy  `json:"scannedBy,omitempty"`
	Tokenizer      string      `json:"tokenizer,omitempty"`
	ActiveProvider string      `json:"activeProvider,omitempty"`
	ScanCeiling    int         `json:"scanCeiling"`
	ScanTruncated  bool        `json:"scanTruncated"`
	MaxRenderNodes int         `json:"maxRenderNodes"`
	OversizedFiles []SizedFile `json:"oversizedFiles"`
	Nodes          []Node      `json:"nodes"`
	Links          []Link      `json:"links"`
	Issues         []Issue     `json:"issues"`
	Stats          Stats       `json:"stats"`
}

// ScannedBy names the program that scanned.
type ScannedBy struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	SpecVersion string `json:"specVersion"`
}

// SizedFile is a file left out for its size.
type SizedFile struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

// Stats counts one scan.
type Stats struct {
	FilesWalked    int   `json:"filesWalked"` // distinct files read or reused
	FilesSkipped   int   `json:"filesSkipped"`
	FilesOversized int   `json:"filesOversized"`
	NodesCount     int   `json:"nodesCount"`
	LinksCount     int   `json:"linksCount"`
	IssuesCount    int   `json:"issuesCount"`
	DurationMs     int64 `json:"durationMs"`
}

// Ceilings of the contract when nothing is configured.
const (
	DefaultMaxScan  = 5000 // nodes taken in
	DefaultMaxNodes = 256  // nodes drawn, and the cap of reads
	DefaultMaxFile  = 1 << 20
)

// Empty is the map before the first scan.
func Empty(nowMs int64) *ScanResult {
	return &ScanResult{
		SchemaVersion: 1, ScannedAt: nowMs, Roots: []string{"."}, Providers: []string{},
		ScanCeiling: DefaultMaxScan, MaxRenderNodes: DefaultMaxNodes,
		OversizedFiles: []SizedFile{}, Nodes: []Node{}, Links: []Link{}, Issues: []Issue{},
	}
}

// HasErrors reports whether an issue of severity error stands.
func (r *ScanResult) HasErrors() bool {
	for i := range r.Issues {
		if r.Issues[i].Severity == Error {
			return true
		}
	}
	return false
}
