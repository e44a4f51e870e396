#!/bin/sh
# Prints one line for each thing that stands in the way of a deploy.
set -eu
[ -z "$(git status --porcelain)" ] || echo "the tree is not clean"
[ "$(git branch --show-current)" = main ] || echo "this is not main"
