// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.GenericDeclaration;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The public API of a package as text: one sorted line per member, with simple type names. */
final class PublicApi {

    private static final int LINE = 120;

    private PublicApi() {}

    /**
     * Describes the public types of {@code packageName}, whose classes are in the folder {@code classes}. Subpackages
     * are not included.
     */
    static String of(Path classes, String packageName) throws IOException, ClassNotFoundException {
        List<Class<?>> types = new java.util.ArrayList<>();
        try (Stream<Path> files = Files.list(classes.resolve(packageName.replace('.', '/')))) {
            for (Path file : files.sorted().toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(".class") && !name.equals("package-info.class")) {
                    load(file, packageName + "." + name.substring(0, name.length() - 6))
                            .ifPresent(types::add);
                }
            }
        }
        return types.stream()
                .filter(PublicApi::visible)
                .sorted(Comparator.comparing(Class::getName))
                .map(PublicApi::describe)
                .collect(Collectors.joining("\n"));
    }

    /** Loads a class. The libraries of a class that is not public may be missing; then the result is empty. */
    private static Optional<Class<?>> load(Path file, String name) throws ClassNotFoundException {
        try {
            return Optional.of(Class.forName(name));
        } catch (NoClassDefFoundError missing) {
            JavaClasses read = new ClassFileImporter().importPath(file);
            if (read.stream().anyMatch(type -> type.getModifiers().contains(JavaModifier.PUBLIC))) {
                throw missing;
            }
            return Optional.empty();
        }
    }

    private static boolean visible(Class<?> type) {
        return Modifier.isPublic(type.getModifiers())
                && (type.getDeclaringClass() == null || visible(type.getDeclaringClass()));
    }

    private static String describe(Class<?> type) {
        StringBuilder text = new StringBuilder(head(type)).append('\n');
        if (type.isEnum()) {
            text.append("    ")
                    .append(Arrays.stream(type.getEnumConstants())
                            .map(String::valueOf)
                            .collect(Collectors.joining(", ")))
                    .append('\n');
        }
        fields(type).forEach(line -> text.append(wrapped(line)));
        constructors(type).forEach(line -> text.append(wrapped(line)));
        methods(type).forEach(line -> text.append(wrapped(line)));
        return text.toString();
    }

    private static String head(Class<?> type) {
        String kind = type.isAnnotation()
                ? "@interface"
                : type.isInterface() ? "interface" : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
        String components = type.isRecord()
                ? Arrays.stream(type.getRecordComponents())
                        .map(component -> name(component) + " " + component.getName())
                        .collect(Collectors.joining(", ", "(", ")"))
                : "";
        Type superclass = type.getGenericSuperclass();
        boolean plain = superclass == null || superclass == Object.class || type.isRecord() || type.isEnum();
        return (type.isSealed() ? "sealed " : "") + kind + " " + simple(type.getName()) + typeParameters(type)
                + components
                + (plain ? "" : " extends " + simple(superclass.getTypeName()))
                + Arrays.stream(type.getGenericInterfaces())
                        .map(PublicApi::name)
                        .collect(Collectors.joining(", ", type.getInterfaces().length == 0 ? "" : " : ", ""));
    }

    private static String name(RecordComponent component) {
        return name(component.getGenericType());
    }

    private static Stream<String> fields(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields())
                .filter(field -> isPublicOrProtected(field.getModifiers()) && !field.isEnumConstant())
                .collect(Collectors.groupingBy(
                        (Field field) -> name(field.getGenericType()),
                        TreeMap::new,
                        Collectors.mapping(Field::getName, Collectors.toCollection(java.util.TreeSet::new))))
                .entrySet()
                .stream()
                .map(entry -> String.join(" ", entry.getValue()) + ": " + entry.getKey());
    }

    private static Stream<String> constructors(Class<?> type) {
        return type.isRecord() || type.isEnum()
                ? Stream.of()
                : Arrays.stream(type.getDeclaredConstructors())
                        .filter(constructor -> isPublicOrProtected(constructor.getModifiers()))
                        .map((Constructor<?> constructor) -> "new" + typeParameters(constructor)
                                + parameters(constructor.getGenericParameterTypes()))
                        .sorted();
    }

    /**
     * Returns the lines of the methods. Overloads share one line if their type parameters and their result types are
     * equal.
     */
    private static Stream<String> methods(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> isPublicOrProtected(method.getModifiers())
                        && !method.isSynthetic()
                        && !isImplicit(type, method))
                .collect(Collectors.groupingBy(
                        method -> method.getName() + typeParameters(method) + " -> "
                                + name(method.getGenericReturnType()),
                        TreeMap::new,
                        Collectors.mapping(
                                (Method method) -> parameters(method.getGenericParameterTypes()),
                                Collectors.toCollection(java.util.TreeSet::new))))
                .entrySet()
                .stream()
                .map(entry -> {
                    int arrow = entry.getKey().indexOf(" -> ");
                    return entry.getKey().substring(0, arrow)
                            + String.join(" | ", entry.getValue())
                            + entry.getKey().substring(arrow);
                });
    }

    /**
     * Whether the API text leaves out this method. It leaves out methods that every class, every record or every enum
     * has anyway: {@code toString}, the accessors of a record, and {@code values} of an enum.
     */
    private static boolean isImplicit(Class<?> type, Method method) {
        boolean component = type.isRecord()
                && method.getParameterCount() == 0
                && Arrays.stream(type.getRecordComponents())
                        .anyMatch(part -> part.getName().equals(method.getName()));
        boolean ofEnum = type.isEnum() && List.of("values", "valueOf").contains(method.getName());
        return component || ofEnum || List.of("toString", "equals", "hashCode").contains(method.getName());
    }

    private static boolean isPublicOrProtected(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    /** Type parameters such as {@code <K, V extends Number>}; empty if there are none. */
    private static String typeParameters(GenericDeclaration declaration) {
        TypeVariable<?>[] variables = declaration.getTypeParameters();
        return variables.length == 0
                ? ""
                : Arrays.stream(variables)
                        .map(variable -> variable.getName() + bounds(variable))
                        .collect(Collectors.joining(", ", "<", ">"));
    }

    private static String bounds(TypeVariable<?> variable) {
        String bounds = Arrays.stream(variable.getBounds())
                .filter(bound -> bound != Object.class)
                .map(PublicApi::name)
                .collect(Collectors.joining(" & "));
        return bounds.isEmpty() ? "" : " extends " + bounds;
    }

    private static String parameters(Type[] types) {
        return Arrays.stream(types).map(PublicApi::name).collect(Collectors.joining(", ", "(", ")"));
    }

    private static String name(Type type) {
        return simple(type.getTypeName());
    }

    private static String simple(String name) {
        return name.replaceAll("[a-z][a-z0-9]*(\\.[a-z][a-z0-9]*)*\\.(?=[A-Z])", "")
                .replace('$', '.')
                .replaceAll("\\b(\\w+)\\.\\1\\.", "$1.");
    }

    private static String wrapped(String line) {
        StringBuilder text = new StringBuilder();
        String rest = "    " + line;
        while (rest.length() > LINE) {
            int at = rest.lastIndexOf(' ', LINE);
            if (at <= 8) {
                break;
            }
            text.append(rest, 0, at).append('\n');
            rest = "        " + rest.substring(at + 1);
        }
        return text.append(rest).append('\n').toString();
    }
}
