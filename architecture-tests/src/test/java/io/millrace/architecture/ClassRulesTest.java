// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.millrace.cache.fixture.ReadsSerialisedObjects;
import io.millrace.cache.fixture.UsesCaffeine;
import io.millrace.client.fixture.OpensASocket;
import io.millrace.client.fixture.ReadsTheClock;
import io.millrace.client.fixture.StartsAThread;
import io.millrace.client.fixture.Synchronizes;
import io.millrace.client.fixture.UsesTls;
import io.millrace.lab.fixture.UsesCli;
import io.millrace.load.fixture.EndsTheProcess;
import io.millrace.load.fixture.HaltsTheProcess;
import io.millrace.load.fixture.Prints;
import io.millrace.load.fixture.PrintsAStackTrace;
import io.millrace.load.fixture.RowHelper;
import io.millrace.load.fixture.UsesEmbedded;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.Target;
import io.millrace.queue.fixture.UsesCache;
import io.millrace.queue.fixture.UsesLoader;
import io.millrace.resp.fixture.UsesAThreadPool;
import io.millrace.resp.fixture.UsesClient;
import io.millrace.resp.fixture.UsesSql;
import io.millrace.tasks.fixture.RefersToTheClock;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class ClassRulesTest {

    private static final JavaClasses PRODUCTION = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.millrace");

    static Stream<ArchRule> rules() {
        return Stream.of(
                ClassRules.RESP_USES_NO_SOCKETS_OR_THREADS,
                ClassRules.ONLY_CLIENT_INTERNAL_OPENS_SOCKETS,
                ClassRules.NOTHING_PRINTS,
                ClassRules.NOTHING_EXITS,
                ClassRules.NO_SYNCHRONIZED_METHODS_IN_THE_ENGINE,
                ClassRules.ONLY_ONE_CLASS_USES_CAFFEINE,
                ClassRules.NOTHING_USES_JAVA_SERIALISATION,
                ClassRules.CLOCKS_ARE_INJECTED,
                ClassRules.THREADS_OF_THE_CLIENT_INHERIT_NOTHING,
                ClassRules.NO_VAGUE_CLASS_NAMES);
    }

    static Stream<Arguments> violations() {
        return Stream.of(
                Arguments.of(ClassRules.RESP_USES_NO_SOCKETS_OR_THREADS, UsesAThreadPool.class),
                Arguments.of(ClassRules.RESP_USES_NO_SOCKETS_OR_THREADS, UsesSql.class),
                Arguments.of(ClassRules.ONLY_CLIENT_INTERNAL_OPENS_SOCKETS, OpensASocket.class),
                Arguments.of(ClassRules.ONLY_CLIENT_INTERNAL_OPENS_SOCKETS, UsesTls.class),
                Arguments.of(ClassRules.NOTHING_PRINTS, Prints.class),
                Arguments.of(ClassRules.NOTHING_PRINTS, PrintsAStackTrace.class),
                Arguments.of(ClassRules.NOTHING_EXITS, EndsTheProcess.class),
                Arguments.of(ClassRules.NOTHING_EXITS, HaltsTheProcess.class),
                Arguments.of(ClassRules.NO_SYNCHRONIZED_METHODS_IN_THE_ENGINE, Synchronizes.class),
                Arguments.of(ClassRules.ONLY_ONE_CLASS_USES_CAFFEINE, UsesCaffeine.class),
                Arguments.of(ClassRules.NOTHING_USES_JAVA_SERIALISATION, ReadsSerialisedObjects.class),
                Arguments.of(ClassRules.CLOCKS_ARE_INJECTED, ReadsTheClock.class),
                Arguments.of(ClassRules.CLOCKS_ARE_INJECTED, RefersToTheClock.class),
                Arguments.of(ClassRules.THREADS_OF_THE_CLIENT_INHERIT_NOTHING, StartsAThread.class),
                Arguments.of(ClassRules.NO_VAGUE_CLASS_NAMES, RowHelper.class),
                Arguments.of(ClassRules.allowedModulesOf(Module.RESP), UsesClient.class),
                Arguments.of(ClassRules.allowedModulesOf(Module.LOAD), UsesEmbedded.class),
                Arguments.of(ClassRules.allowedModulesOf(Module.QUEUE), UsesLoader.class),
                Arguments.of(ClassRules.allowedModulesOf(Module.QUEUE), UsesCache.class),
                Arguments.of(ClassRules.allowedModulesOf(Module.LAB), UsesCli.class));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void productionCodeFollowsEachArchitectureRule(ArchRule rule) {
        rule.check(PRODUCTION);
    }

    @ParameterizedTest
    @EnumSource
    void moduleUsesOnlyAllowedModules(Module module) {
        ClassRules.allowedModulesOf(module).check(PRODUCTION);
    }

    @ParameterizedTest
    @EnumSource
    void classesOfEveryModuleAreFound(Module module) {
        assertThat(PRODUCTION).extracting(JavaClass::getPackageName).anyMatch(module::has);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LAB")
    void packagesOfEachModuleFormNoCycle(Module module) {
        ClassRules.noPackageCyclesIn(module).check(PRODUCTION);
    }

    @Test
    void packageCycleIsReported() {
        var result = ClassRules.noPackageCyclesIn(Module.LOAD)
                .evaluate(new ClassFileImporter()
                        .importClasses(
                                io.millrace.load.fixture.CycleUpper.class,
                                io.millrace.load.fixture.lower.CycleLower.class));

        assertThat(result.hasViolation()).isTrue();
    }

    /**
     * Several nested classes may be named {@code Builder} or {@code Kind}, because the name of the outer class tells
     * them apart.
     */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"LAB", "TESTKIT"})
    void noModuleHasTwoClassesOfTheSameName(Module module) {
        assertThat(PRODUCTION)
                .filteredOn(type -> module.has(type.getPackageName()))
                .extracting(JavaClass::getSimpleName)
                .filteredOn(
                        name -> !Set.of("", "Builder", "Kind", "package-info").contains(name))
                .doesNotHaveDuplicates();
    }

    /** A source or target that is not public is made by a public one, and a share by another source. */
    @Test
    void commandLineHasEveryTypeOfSourceAndTarget() {
        List<JavaClass> types = PRODUCTION.stream()
                .filter(type -> !type.isInterface() && type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> type.isAssignableTo(RowSource.class) || type.isAssignableTo(Target.class))
                .filter(type -> Module.LOAD.has(type.getPackageName())
                        && !type.getSimpleName().equals("Share"))
                .toList();

        assertThat(types)
                .hasSizeGreaterThan(5)
                .allSatisfy(type -> assertThat(type.getDirectDependenciesToSelf())
                        .extracting(dependency -> dependency.getOriginClass().getSimpleName())
                        .as("users of %s; add it to SourceChoice.TYPES or TargetArguments.TYPES", type.getSimpleName())
                        .anyMatch(user -> user.matches("SourceChoice|\\w+SourceFactory|TargetArguments")));
    }

    @Test
    void everyClassBelongsToAModule() {
        assertThat(PRODUCTION)
                .extracting(JavaClass::getPackageName)
                .allMatch(name -> Stream.of(Module.values()).anyMatch(module -> module.has(name)));
    }

    @ParameterizedTest
    @MethodSource("violations")
    void violationOfARuleIsReported(ArchRule rule, Class<?> violator) {
        var result = rule.evaluate(new ClassFileImporter().importClasses(violator));

        assertThat(result.getFailureReport().getDetails()).anyMatch(line -> line.contains(violator.getName()));
    }
}
