// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Rules for compiled classes. For each rule there is a class in a {@code fixture} package that breaks the rule on
 * purpose. A test checks that the rule reports this class.
 */
final class ClassRules {

    private static final String[] ENGINE = packagesOf(Module.RESP, Module.CLIENT, Module.TASKS);
    private static final String[] LIBRARY = packagesOf(
            Module.RESP,
            Module.CLIENT,
            Module.TASKS,
            Module.LOAD,
            Module.CACHE,
            Module.QUEUE,
            Module.BITMAP,
            Module.PACKED,
            Module.MICROMETER,
            Module.VERTX,
            Module.SPARK,
            Module.SPRING);

    /**
     * Types that open, wrap or address a socket. Not included: {@code java.net.URI}, addresses as text, and {@code
     * SSLContext}, which is a value of the TLS options.
     */
    private static final String SOCKETS = "java\\.net\\.(Server|Datagram|Multicast)?Socket.*"
            + "|java\\.net\\.(http|spi)\\..*|java\\.net\\.(URL|\\w*URLConnection)|java\\.net\\.Inet.*|java\\.net\\.UnixDomain.*"
            + "|java\\.nio\\.channels\\..*(Socket|Datagram|Network|Select).*|javax\\.net\\.(?!ssl\\.SSLContext$).*";

    private static final String JAVA_SERIALISATION =
            "java\\.io\\.Object(In|Out)putStream.*|java\\.beans\\.XML(En|De)coder"
                    + "|org\\.springframework\\..*(JdkSerialization|SerializationUtils|DefaultDeserializer).*";

    static final ArchRule RESP_USES_NO_SOCKETS_OR_THREADS = noClasses()
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
            .because("resp only converts between bytes and values: it uses no sockets, threads or clocks")
            .allowEmptyShould(true);

    static final ArchRule ONLY_CLIENT_INTERNAL_OPENS_SOCKETS = noClasses()
            .that()
            .resideInAnyPackage(LIBRARY)
            .and(not(resideInAPackage("io.millrace.client.internal..")))
            .and(not(DescribedPredicate.describe(
                    "the option that finds addresses",
                    type -> type.getFullName().equals("io.millrace.client.AddressResolver"))))
            .and(not(DescribedPredicate.describe(
                    "the class that loads drivers from files",
                    type -> type.getFullName().equals("io.millrace.load.source.JdbcDrivers"))))
            .should()
            .dependOnClassesThat(DescribedPredicate.describe(
                    "open sockets", target -> target.getFullName().matches(SOCKETS)))
            .because("only io.millrace.client.internal uses sockets")
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
            .because("a library returns values, throws exceptions or calls a listener")
            .allowEmptyShould(true);

    static final ArchRule NOTHING_EXITS = noClasses()
            .that()
            .resideInAnyPackage(LIBRARY)
            .should()
            .callMethodWhere(calls(System.class, Set.of("exit")).or(calls(Runtime.class, Set.of("exit", "halt"))))
            .because("a library must not end the process of its user")
            .allowEmptyShould(true);

    static final ArchRule NO_SYNCHRONIZED_METHODS_IN_THE_ENGINE = noMethods()
            .that()
            .areDeclaredInClassesThat(resideInAnyPackage(ENGINE))
            .should()
            .haveModifier(JavaModifier.SYNCHRONIZED)
            .because("on Java 21 a virtual thread that waits in such a method pins its carrier: use a ReentrantLock")
            .allowEmptyShould(true);

    static final ArchRule ONLY_ONE_CLASS_USES_CAFFEINE = noClasses()
            .that()
            .resideInAnyPackage(LIBRARY)
            .and()
            .doNotHaveFullyQualifiedName("io.millrace.cache.CaffeineNearSlots")
            .should()
            .dependOnClassesThat(resideInAPackage("com.github.benmanes.caffeine.."))
            .because("users without a near cache do not need Caffeine")
            .allowEmptyShould(true);

    static final ArchRule NOTHING_USES_JAVA_SERIALISATION = noClasses()
            .that()
            .resideInAPackage("io.millrace..")
            // The lab measures other libraries with their own codecs.
            .and(not(resideInAnyPackage(Module.LAB.packages())))
            .should()
            .dependOnClassesThat(DescribedPredicate.describe(
                    "read or write Java serialisation",
                    target -> target.getFullName().matches(JAVA_SERIALISATION)))
            .because("bytes of Redis may come from anybody, and Java serialisation can run code when it reads them")
            .allowEmptyShould(true);

    static final ArchRule CLOCKS_ARE_INJECTED = noClasses()
            .that()
            .resideInAnyPackage(packagesOf(Module.CLIENT, Module.TASKS))
            .and()
            .doNotHaveSimpleName("ClockAndRandom")
            .should()
            .accessTargetWhere(accesses(System.class, Set.of("nanoTime", "currentTimeMillis")))
            .orShould()
            .accessTargetWhere(accesses(Instant.class, Set.of("now")))
            .because("tests replace the clock: only ClockAndRandom reads the clock of the system")
            .allowEmptyShould(true);

    static final ArchRule THREADS_OF_THE_CLIENT_INHERIT_NOTHING = noClasses()
            .that()
            .resideInAnyPackage(packagesOf(Module.CLIENT))
            .and()
            .doNotHaveSimpleName("ClientThreads")
            .should()
            .accessTargetWhere(
                    accesses(Thread.class, Set.of("ofPlatform", "ofVirtual", "startVirtualThread", "<init>")))
            .because("ClientThreads creates threads that inherit no context of a caller")
            .allowEmptyShould(true);

    static final ArchRule NO_VAGUE_CLASS_NAMES = noClasses()
            .that()
            // An implementation of the interface CacheManager of Spring.
            .doNotHaveFullyQualifiedName("io.millrace.spring.MillraceCacheManager")
            .should()
            .haveNameMatching(".*(Manager|Helper|Util|Utils|Impl|Processor)")
            .because("such a name fits every class")
            .allowEmptyShould(true);

    private ClassRules() {}

    /** Classes of {@code module} depend only on the modules that are allowed for it. */
    static ArchRule allowedModulesOf(Module module) {
        return noClasses()
                .that()
                .resideInAnyPackage(module.packages())
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.millrace..").and(not(resideInAnyPackage(module.allowedPackages()))))
                .as(module + " depends only on " + String.join(", ", module.allowedPackages()))
                .allowEmptyShould(true);
    }

    /**
     * The packages of {@code module} form no cycle. There is one exception: the class {@code RedisClient} uses the
     * internal packages, and the internal packages use the public package of {@code RedisClient}.
     */
    static ArchRule noPackageCyclesIn(Module module) {
        return slices().assignedFrom(packagesBelow(module.rootPackage()))
                .should()
                .beFreeOfCycles()
                .ignoreDependency(
                        name("io.millrace.client.RedisClient"), resideInAPackage("io.millrace.client.internal.."))
                .as("the packages of " + module + " form no cycle")
                .allowEmptyShould(true);
    }

    private static SliceAssignment packagesBelow(String root) {
        return new SliceAssignment() {
            @Override
            public SliceIdentifier getIdentifierOf(JavaClass type) {
                String name = type.getPackageName();
                return name.equals(root) || name.startsWith(root + ".")
                        ? SliceIdentifier.of(name)
                        : SliceIdentifier.ignore();
            }

            @Override
            public String getDescription() {
                return "packages of " + root;
            }
        };
    }

    private static String[] packagesOf(Module... modules) {
        return Stream.of(modules).map(Module::packages).toArray(String[]::new);
    }

    /** Matches calls of the methods {@code names}, and method references to these methods. */
    private static DescribedPredicate<JavaAccess<?>> accesses(Class<?> owner, Set<String> names) {
        return DescribedPredicate.describe(
                owner.getSimpleName() + "." + names,
                access -> names.contains(access.getName())
                        && access.getTargetOwner().isEquivalentTo(owner));
    }

    private static DescribedPredicate<JavaCall<?>> calls(Class<?> owner, Set<String> names) {
        return DescribedPredicate.describe(owner.getSimpleName() + "." + names, call -> {
            JavaClass target = call.getTargetOwner();
            return names.contains(call.getName()) && target.isAssignableTo(owner);
        });
    }
}
