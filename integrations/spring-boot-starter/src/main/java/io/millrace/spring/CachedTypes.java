// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.cache.interceptor.CacheEvictOperation;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.type.TypeFactory;

/**
 * The types of the values of all caches, from the signatures of the cached methods. A future and a {@code Mono} count as
 * their value, a {@code Flux} counts as a list, and an {@code Optional} counts as its value. Confined to one thread until
 * it is complete.
 */
final class CachedTypes {

    /** A type, and the method that it comes from. */
    private record Found(JavaType type, Method method) {}

    private final Set<String> names = new LinkedHashSet<>();
    private final Map<String, Found> byCache = new LinkedHashMap<>();

    /** Why the methods of a cache do not give its type. */
    private final Map<String, String> problems = new HashMap<>();

    private final CacheOperationSource operations;
    private final TypeFactory types;

    private CachedTypes(CacheOperationSource operations, TypeFactory types) {
        this.operations = operations;
        this.types = types;
    }

    /** Searches all beans of {@code beanFactory} for cached methods. Creates no bean. */
    static CachedTypes of(
            ConfigurableListableBeanFactory beanFactory, CacheOperationSource operations, TypeFactory types) {
        CachedTypes found = new CachedTypes(operations, types);
        for (String bean : beanFactory.getBeanNamesForType(Object.class, true, false)) {
            classesOf(bean, beanFactory).forEach(found::addMethodsOf);
        }
        return found;
    }

    /** Names of the caches of all cached methods. */
    Set<String> names() {
        return names;
    }

    /**
     * The type of the values of a cache; empty if no method uses the cache.
     *
     * @throws KeyException if two methods of the cache have different types, or if a method does not name its type
     */
    Optional<JavaType> of(String cache) {
        String problem = problems.get(cache);
        if (problem != null) {
            throw new KeyException(
                    problem,
                    "Set " + CacheProperties.prefix(cache) + ".type to the type of the values, or give a method another"
                            + " cache.");
        }
        return Optional.ofNullable(byCache.get(cache)).map(Found::type);
    }

    /** The class of a bean, and its interfaces, whose methods may be cached, too. */
    private static Set<Class<?>> classesOf(String bean, ConfigurableListableBeanFactory beanFactory) {
        Object singleton = beanFactory.containsSingleton(bean) ? beanFactory.getSingleton(bean) : null;
        @Nullable Class<?> seen = singleton == null ? beanFactory.getType(bean, false) : singleton.getClass();
        if (seen == null) {
            return Set.of();
        }
        Set<Class<?>> classes = new LinkedHashSet<>();
        classes.add(ClassUtils.getUserClass(singleton == null ? seen : AopProxyUtils.ultimateTargetClass(singleton)));
        classes.addAll(ClassUtils.getAllInterfacesForClassAsSet(seen));
        classes.removeIf(type -> type.getName().startsWith("org.springframework."));
        return classes;
    }

    private void addMethodsOf(Class<?> type) {
        if (operations.isCandidateClass(type)) {
            MethodIntrospector.MetadataLookup<Collection<CacheOperation>> lookup =
                    method -> operations.getCacheOperations(method, type);
            MethodIntrospector.selectMethods(type, lookup).forEach((method, found) -> add(type, method, found));
        }
    }

    private void add(Class<?> type, Method method, Collection<CacheOperation> found) {
        Type returned = GenericTypeResolver.resolveType(method.getGenericReturnType(), type);
        ResolvableType valueType = valueType(ResolvableType.forType(returned));
        for (CacheOperation operation : found) {
            // A method that evicts does not store its result.
            if (!(operation instanceof CacheEvictOperation)) {
                operation.getCacheNames().forEach(cache -> add(cache, valueType, method));
            }
        }
    }

    private void add(String cache, ResolvableType valueType, Method method) {
        names.add(cache);
        Class<?> raw = valueType.resolve(Object.class);
        if (raw.equals(Object.class)) {
            problems.putIfAbsent(
                    cache,
                    "the type of the values of the cache " + cache + " is unknown: " + name(method)
                            + " returns Object");
            return;
        }
        Found found = new Found(types.constructType(valueType.getType()), method);
        Found earlier = byCache.putIfAbsent(cache, found);
        if (earlier != null && !earlier.type.equals(found.type)) {
            problems.putIfAbsent(
                    cache,
                    "the cache " + cache + " has values of two types: " + earlier.type.toCanonical() + " of "
                            + name(earlier.method) + ", and " + found.type.toCanonical() + " of " + name(method));
        }
    }

    private static ResolvableType valueType(ResolvableType returned) {
        Class<?> raw = returned.resolve(Object.class);
        String name = raw.getName();
        if (CompletableFuture.class.isAssignableFrom(raw)
                || raw.equals(Optional.class)
                || name.equals("reactor.core.publisher.Mono")) {
            return returned.getGeneric(0);
        }
        return name.equals("reactor.core.publisher.Flux")
                ? ResolvableType.forClassWithGenerics(List.class, returned.getGeneric(0))
                : returned;
    }

    private static String name(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }
}
