package atlas

import "skillforge/internal/sm/agent"

// AgentHosts lists the hosts whose agents can be taught to do jobs.
func AgentHosts() []string { return agent.Hosts() }

// AgentStates says, for each host, whether its agent has the skill.
func (a *Atlas) AgentStates() ([]agent.State, error) {
	list := []agent.State{}
	for _, id := range agent.Hosts() {
		s, err := a.AgentState(id)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// AgentState says whether a host's agent has the skill. The fault is Invalid
// for a host that takes no skills.
func (a *Atlas) AgentState(host string) (agent.State, error) {
	return agent.StateOf(a.project.Path("."), host)
}

// InstallAgent gives a host's agent the skill that works through the queue.
func (a *Atlas) InstallAgent(host string) (agent.State, agent.Outcome, error) {
	return agent.Install(a.project.Path("."), host)
}

// UninstallAgent takes it away again.
func (a *Atlas) UninstallAgent(host string) (agent.State, agent.Outcome, error) {
	return agent.Uninstall(a.project.Path("."), host)
}

// AgentOutdated reports whether an agent of the project has another version of
// the skill than this program's.
func (a *Atlas) AgentOutdated() bool { return agent.Outdated(a.project.Path(".")) }
