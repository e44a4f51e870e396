-- What was done with an issue or pull request is shown beside what was said.
CREATE INDEX acts_number ON acts (repo_id, number, id);
