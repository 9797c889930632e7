// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;
import java.util.stream.Stream;

/** Rules over compiled classes. Each has a fixture that breaks it, so that none can fall asleep. */
final class ClassRules {

    private static final String[] ENGINE = packagesOf(Module.RESP, Module.CLIENT, Module.TASKS);
    private static final String[] LIBRARY =
            packagesOf(Module.RESP, Module.CLIENT, Module.TASKS, Module.LOAD, Module.PATTERNS);

    /** What opens or wraps a socket. Addresses as text and {@code java.net.URI} are free. */
    private static final String SOCKETS = "java\\.net\\.(Server|Datagram|Multicast)?Socket.*"
            + "|java\\.net\\.(http|spi)\\..*|java\\.net\\.(URL|\\w*URLConnection)|java\\.net\\.Inet.*|java\\.net\\.UnixDomain.*"
            + "|java\\.nio\\.channels\\..*(Socket|Datagram|Network|Select).*|javax\\.net\\..*";

    static final ArchRule RESP_IS_BYTES_AND_VALUES = noClasses()
            .that()
            .resideInAnyPackage(Module.RESP.packages())
            .should()
            .dependOnClassesThat(not(resideInAnyPackage(Module.RESP.packages())
                            .or(resideInAnyPackage(
                                    "java.lang..",
                                    "java.io..",
                                    "java.math..",
                                    "java.nio..",
                                    "java.util..",
                                    "org.jspecify.annotations..")))
                    .or(resideInAnyPackage("java.util.concurrent..", "java.nio.channels..", "java.nio.file..")))
            .because("resp turns bytes into values and back: no sockets, no threads, no clocks")
            .allowEmptyShould(true);

    static final ArchRule ONLY_CLIENT_INTERNAL_OPENS_SOCKETS = noClasses()
            .that()
            .resideInAnyPackage(LIBRARY)
            .and(not(resideInAPackage("io.millrace.client.internal..")))
            .should()
            .dependOnClassesThat(DescribedPredicate.describe(
                    "open sockets", target -> target.getFullName().matches(SOCKETS)))
            .because("one place knows sockets: io.millrace.client.internal")
            .allowEmptyShould(true);

    static final ArchRule NOTHING_PRINTS = noClasses()
            .that()
            .resideInAnyPackage(LIBRARY)
            .should()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err")
            .orShould()
            .callMethodWhere(calls(Throwable.class, Set.of("printStackTrace")))
            .because("what a library has to say it returns, throws or hands to a listener")
            .allowEmptyShould(true);

    static final ArchRule NOTHING_EXITS = noClasses()
            .that()
            .resideInAnyPackage(LIBRARY)
            .should()
            .callMethodWhere(calls(System.class, Set.of("exit")).or(calls(Runtime.class, Set.of("exit", "halt"))))
            .because("a library does not end its host")
            .allowEmptyShould(true);

    static final ArchRule NO_SYNCHRONIZED_METHODS_IN_THE_ENGINE = noMethods()
            .that()
            .areDeclaredInClassesThat(resideInAnyPackage(ENGINE))
            .should()
            .haveModifier(JavaModifier.SYNCHRONIZED)
            .because("on Java 21 a virtual thread that waits there holds its carrier: use a ReentrantLock")
            .allowEmptyShould(true);

    static final ArchRule ONE_CLASS_KNOWS_CAFFEINE = noClasses()
            .that()
            .resideInAnyPackage(LIBRARY)
            .and()
            .doNotHaveFullyQualifiedName("io.millrace.cache.CaffeineSlots")
            .should()
            .dependOnClassesThat(resideInAPackage("com.github.benmanes.caffeine.."))
            .because("whoever has no near cache does without Caffeine")
            .allowEmptyShould(true);

    static final ArchRule NAMES_SAY_SOMETHING = noClasses()
            .should()
            .haveNameMatching(".*(Manager|Helper|Util|Utils|Impl|Processor)")
            .because("such a name fits any class")
            .allowEmptyShould(true);

    private ClassRules() {}

    /** Classes of {@code module} know no module but those they may know. */
    static ArchRule edgesOf(Module module) {
        return noClasses()
                .that()
                .resideInAnyPackage(module.packages())
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.millrace..").and(not(resideInAnyPackage(module.packagesItMayKnow()))))
                .as(module + " knows only " + String.join(", ", module.packagesItMayKnow()))
                .allowEmptyShould(true);
    }

    /** Classes of {@code pattern}, a root package of the patterns, know no other of those. */
    static ArchRule apart(String pattern) {
        String[] others = Module.PATTERNS.rootPackages().stream()
                .filter(root -> !root.equals(pattern))
                .map(root -> root + "..")
                .toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(pattern + "..")
                .should()
                .dependOnClassesThat(resideInAnyPackage(others))
                .as(pattern + " knows no other pattern")
                .allowEmptyShould(true);
    }

    private static String[] packagesOf(Module... modules) {
        return Stream.of(modules)
                .flatMap(module -> Stream.of(module.packages()))
                .toArray(String[]::new);
    }

    private static DescribedPredicate<JavaCall<?>> calls(Class<?> owner, Set<String> names) {
        return DescribedPredicate.describe(owner.getSimpleName() + "." + names, call -> {
            JavaClass target = call.getTargetOwner();
            return names.contains(call.getName()) && target.isAssignableTo(owner);
        });
    }
}
