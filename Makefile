# SPDX-License-Identifier: Apache-2.0
# Every target is one or two lines; what needs more lies in a script of its own.

export JAVA_HOME := $(shell sh .mvn/find-jdk.sh)
# Without a JDK the script has said what to install, and nothing is worth starting.
MVN = $(if $(JAVA_HOME),@./mvnw -B -q,@exit 1;)

.PHONY: help demo test soak bench format clean
.DEFAULT_GOAL := help

help: ## show these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' Makefile

demo: ## build, start a private Redis, load a million rows into it, verify them, and print the account
	@./millrace demo $(ARGS)

test: ## build everything, run every test and check the formatting
	$(if $(JAVA_HOME),@.ci/test,@exit 1)

soak: ## run the client's tests of reliability for some twenty minutes, with far larger counts
	$(if $(JAVA_HOME),@.ci/soak $(ARGS),@exit 1)

bench: ## compare with redis-cli --pipe, Jedis and Lettuce on this machine (needs redis-server and redis-cli)
	@./millrace bench $(ARGS)

format: ## format all sources
	$(MVN) spotless:apply

clean: ## remove what was built
	$(MVN) clean
