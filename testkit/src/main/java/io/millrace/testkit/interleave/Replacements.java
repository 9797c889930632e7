// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.objectweb.asm.Type;

/**
 * The methods and types of the JDK that are replaced in woven code. Names have the form of class files, with slashes.
 */
final class Replacements {

    private static final Map<String, String> TYPES = Map.of(
            Type.getInternalName(ReentrantLock.class), Type.getInternalName(ScheduledLock.class),
            Type.getInternalName(CountDownLatch.class), Type.getInternalName(ScheduledLatch.class),
            Type.getInternalName(Semaphore.class), Type.getInternalName(ScheduledSemaphore.class));

    /** JDK methods that block or start threads and have no replacement. A schedule rejects calls of them. */
    private static final Pattern UNSUPPORTED = Pattern.compile("java/util/concurrent/(Executors|\\w*ExecutorService"
            + "|\\w*ThreadPoolExecutor|ForkJoin\\w*|\\w*CompletionService|StructuredTaskScope.*|CyclicBarrier|Phaser|Exchanger"
            + "|SynchronousQueue|DelayQueue|SubmissionPublisher|FutureTask)\\..*"
            + "|java/util/concurrent/(Linked)?TransferQueue\\.(transfer|tryTransfer)"
            + "|java/util/concurrent/(Linked)?BlockingDeque\\.((put|take)(First|Last))"
            + "|java/util/concurrent/CompletableFuture\\.(\\w+Async|orTimeout|completeOnTimeout)"
            + "|java/util/concurrent/TimeUnit\\.(sleep|timedJoin|timedWait)"
            + "|java/util/concurrent/locks/(ReentrantReadWriteLock|StampedLock|Abstract\\w*Synchronizer).*"
            + "|java/util/concurrent/locks/LockSupport\\.parkUntil"
            + "|java/util/concurrent/locks/ReentrantLock\\.(hasQueued\\w+|getQueue\\w+|hasWaiters|getWaitQueueLength)"
            + "|java/util/Timer\\..*|java/lang/Object\\.(wait|notify|notifyAll)"
            + "|java/lang/Thread\\.(<init>|getState|getAllStackTraces)");

    private static final Map<String, List<Replacement>> CALLS = new HashMap<>();

    static {
        Stream.of(ThreadReplacements.class, CallReplacements.class)
                .flatMap(owner -> Arrays.stream(owner.getDeclaredMethods()))
                .filter(method -> method.isAnnotationPresent(Replaces.class))
                .map(Replacements::of)
                .forEach(replacement -> CALLS.computeIfAbsent(replacement.key, key -> new ArrayList<>())
                        .add(replacement));
    }

    private Replacements() {}

    /**
     * A static method that woven code calls in place of a method of the JDK.
     *
     * @param of class of the replaced method
     * @param isStatic whether the replaced method is static
     * @param key name and descriptor of the replaced method. The descriptor does not contain the receiver
     * @param owner class of the static method
     * @param name name of the static method
     * @param descriptor descriptor of the static method
     */
    record Replacement(Class<?> of, boolean isStatic, String key, String owner, String name, String descriptor) {}

    /** The replacement of this method; empty if there is none. */
    static Optional<Replacement> ofCall(boolean isStatic, String owner, String name, String descriptor) {
        List<Replacement> candidates =
                owner.startsWith("java/") ? CALLS.getOrDefault(name + descriptor, List.of()) : List.of();
        return candidates.stream()
                .filter(candidate -> candidate.isStatic == isStatic)
                .filter(candidate -> candidate.of.isAssignableFrom(jdkClass(owner)))
                .findFirst();
    }

    /** The type that replaces {@code type} when an object is created; {@code type} itself if it is not replaced. */
    static String ofType(String type) {
        return TYPES.getOrDefault(type, type);
    }

    static boolean isUnsupported(String owner, String name) {
        return UNSUPPORTED.matcher(owner + "." + name).matches();
    }

    /**
     * Whether an instance method of the JDK accesses state that several threads may share. Examples are methods of
     * atomics, variable handles and collections.
     */
    static boolean isShared(String owner, String name) {
        if (!owner.startsWith("java/") || name.equals("<init>")) {
            return false;
        }
        return owner.equals("java/lang/invoke/VarHandle")
                || owner.startsWith("java/util/concurrent/atomic/")
                || owner.startsWith("java/util/concurrent/locks/")
                || Stream.of(Collection.class, Map.class, Future.class, CountDownLatch.class, Semaphore.class)
                        .anyMatch(type -> type.isAssignableFrom(jdkClass(owner)));
    }

    private static Class<?> jdkClass(String owner) {
        try {
            return Class.forName(owner.replace('/', '.'), false, ClassLoader.getPlatformClassLoader());
        } catch (ClassNotFoundException e) {
            return Void.class;
        }
    }

    private static Replacement of(Method method) {
        Class<?> of = method.getAnnotation(Replaces.class).type();
        Class<?>[] parameters = method.getParameterTypes();
        boolean isStatic = isStatic(of, method.getName(), parameters);
        Class<?>[] own = isStatic ? parameters : Arrays.copyOfRange(parameters, 1, parameters.length);
        try {
            Method replaced = of.getMethod(method.getName(), own);
            return new Replacement(
                    of,
                    isStatic,
                    method.getName() + Type.getMethodDescriptor(replaced),
                    Type.getInternalName(method.getDeclaringClass()),
                    method.getName(),
                    Type.getMethodDescriptor(method));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(
                    "a method with @Replaces replaces no method of the JDK: method=" + method, e);
        }
    }

    private static boolean isStatic(Class<?> of, String name, Class<?>[] parameters) {
        try {
            return Modifier.isStatic(of.getMethod(name, parameters).getModifiers());
        } catch (NoSuchMethodException e) {
            return false;
        }
    }
}
