# SPDX-License-Identifier: Apache-2.0
# Each target has one or two lines. Longer work is in scripts.

export JAVA_HOME := $(shell sh .mvn/java.sh)
# Without a JDK, java.sh has printed what to install, and the target stops.
MVN = $(if $(JAVA_HOME),@. .mvn/build-lock.sh && take_build_lock "$$(pwd -P)" && ./mvnw -B -q,@exit 1;)

# The folder of a new record. The date is read once.
RECORD := $(or $(RECORD),apps/lab/runs/$(shell date +%F)-all)

.PHONY: help demo test soak bench record microbench dist dist-check reproduce publish-local stage release outdated format clean
.DEFAULT_GOAL := help

help: ## show these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' Makefile

demo: ## build, start a private Redis, load and verify a million rows, and print the report
	@./millrace demo $(ARGS)

test: ## build everything, run every test and check the formatting
	$(if $(JAVA_HOME),@.ci/test,@exit 1)

soak: ## run the reliability tests with much larger counts, about half an hour
	$(if $(JAVA_HOME),@.ci/soak $(ARGS),@exit 1)

bench: ## measure the limits that Millrace promises, beside its peers, on this machine
	@./millrace lab run --bars $(ARGS)

record: ## measure every experiment at this commit, almost four hours, and write the figures of the documents
	@./millrace lab run --out "$(RECORD)"
	@./millrace lab micro >"$(RECORD)/micro.txt" || [ $$? = 3 ] # 3: a limit was missed
	$(MVN) -pl apps/lab -am -Dsurefire.failIfNoSpecifiedTests=false -Dmillrace.write=true test -Dtest=RecordFiguresTest

microbench: ## measure costs within a process with JMH: hand-over of tasks, encoder, parser, command listener
	@./millrace lab micro $(ARGS)

dist: ## build the archives for users in target/dist
	$(if $(JAVA_HOME),@dist/build archives,@exit 1)

dist-check: ## check the archives of make dist from the outside, on Java 21 and 25
	@dist/check

reproduce: ## check that two builds of the last commit have equal bytes, some minutes
	$(if $(JAVA_HOME),@dist/reproduce,@exit 1)

publish-local: ## install the artifacts into the local Maven repository, for builds that depend on Millrace
	$(if $(JAVA_HOME),@dist/build publish-local,@exit 1)

stage: ## write a bundle of the artifacts for Maven Central to target, signed if MAVEN_GPG_KEY is set
	$(if $(JAVA_HOME),@dist/build stage,@exit 1)

release: ## make a release: make release VERSION=1.2.3
	@dist/release "$(VERSION)" $(NEXT)

outdated: ## list newer versions of dependencies, plugins, annotation processors, formatters and Maven (needs Python)
	$(if $(JAVA_HOME),@.mvn/outdated,@exit 1)

format: ## format all sources
	$(MVN) spotless:apply

clean: ## delete all build output
	$(MVN) clean
