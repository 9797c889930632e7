// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Finds all public command specs and command factories of the package, by reflection over its compiled classes. */
public final class PublicCommands {

    /** A text that is valid as a key, a field, a member, an ID, a cursor and a pattern. */
    static final String ONE = "1";

    /** A constant with a spec. */
    public record Spec(Field field, CommandSpec<?> spec) {}

    /** A method that makes commands. */
    public record CommandFactory(Method method) {

        /** Returns the signature, such as {@code Strings.get(String)}. */
        @Override
        public String toString() {
            return signature(false);
        }

        /**
         * Returns the signature with {@code String} in place of {@code byte[]}. The result is the same for the factory
         * with text and for the factory with bytes.
         */
        public String pair() {
            return signature(true);
        }

        public boolean takesBytes() {
            return Arrays.stream(method.getGenericParameterTypes())
                    .anyMatch(type -> type.getTypeName().contains("byte[]"));
        }

        public boolean takesText() {
            return Arrays.stream(method.getGenericParameterTypes())
                    .anyMatch(type -> type.getTypeName().contains("java.lang.String"));
        }

        /** Returns a sample command of this factory. The arguments are {@link #ONE} if possible. */
        public Command<?> sample() {
            Object[] arguments = Arrays.stream(method.getGenericParameterTypes())
                    .map(PublicCommands::sampleOf)
                    .toArray();
            try {
                return (Command<?>) method.invoke(null, arguments);
            } catch (ReflectiveOperationException e) {
                throw new LinkageError(this + " rejects its sample", e);
            }
        }

        private String signature(boolean paired) {
            String parameters = Arrays.stream(method.getGenericParameterTypes())
                    .map(PublicCommands::shortName)
                    .map(name -> paired ? name.replace("byte[]", "String") : name)
                    .collect(Collectors.joining(", "));
            String name = paired ? method.getName().replaceAll("Bytes$", "") : method.getName();
            return method.getDeclaringClass().getSimpleName() + "." + name + "(" + parameters + ")";
        }
    }

    private PublicCommands() {}

    public static List<Spec> specs() {
        List<Spec> specs = new ArrayList<>();
        for (Class<?> type : publicClasses()) {
            for (Field field : type.getFields()) {
                if (Modifier.isStatic(field.getModifiers()) && field.getType() == CommandSpec.class) {
                    specs.add(new Spec(field, specIn(field)));
                }
            }
        }
        return specs;
    }

    /** Returns all public static methods that return a command, except the methods of {@link Command}. */
    public static List<CommandFactory> factories() {
        List<CommandFactory> factories = new ArrayList<>();
        for (Class<?> type : publicClasses()) {
            for (Method method : type.getDeclaredMethods()) {
                int modifiers = method.getModifiers();
                if (type != Command.class
                        && Modifier.isPublic(modifiers)
                        && Modifier.isStatic(modifiers)
                        && method.getReturnType() == Command.class) {
                    factories.add(new CommandFactory(method));
                }
            }
        }
        factories.sort(Comparator.comparing(CommandFactory::toString));
        return factories;
    }

    /** Returns the name of {@code type} without package names. */
    static String shortName(Type type) {
        return type.getTypeName().replaceAll("[a-z]+\\.", "").replace('$', '.');
    }

    private static CommandSpec<?> specIn(Field field) {
        try {
            return (CommandSpec<?>) field.get(null);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static List<Class<?>> publicClasses() {
        List<Class<?>> classes = new ArrayList<>();
        try {
            Path root = Path.of(Command.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            Path folder = root.resolve("io/millrace/client/command");
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.class")) {
                for (Path file : files) {
                    String name = file.getFileName().toString().replace(".class", "");
                    if (!name.endsWith("-info")) {
                        Class<?> type = Class.forName("io.millrace.client.command." + name);
                        if (Modifier.isPublic(type.getModifiers())) {
                            classes.add(type);
                        }
                    }
                }
            }
        } catch (IOException | URISyntaxException | ClassNotFoundException e) {
            throw new AssertionError(e);
        }
        classes.sort(Comparator.comparing(Class::getName));
        return classes;
    }

    private static Object sampleOf(Type type) {
        return switch (type) {
            case Class<?> plain when plain.isArray() && plain != byte[].class -> samples(plain.getComponentType());
            case Class<?> plain -> sampleOf(plain);
            case GenericArrayType array -> samples((Class<?>) array.getGenericComponentType());
            case ParameterizedType generic when generic.getRawType() == Map.class -> mapOf(generic);
            case ParameterizedType generic when generic.getRawType() == List.class -> List.of(ONE);
            case ParameterizedType generic
            when generic.getRawType() == StreamRead.class
                    && generic.getActualTypeArguments()[0] instanceof TypeVariable -> StreamRead.of(ONE, ONE);
            default -> throw new AssertionError("no sample of " + type.getTypeName());
        };
    }

    private static Object samples(Class<?> element) {
        Object array = Array.newInstance(element, 1);
        Array.set(array, 0, sampleOf(element));
        return array;
    }

    private static Map<?, ?> mapOf(ParameterizedType type) {
        Type[] types = type.getActualTypeArguments();
        return Map.of(sampleOf(types[0]), sampleOf(types[1]));
    }

    private static Object sampleOf(Class<?> type) {
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        Map<Class<?>, Object> samples = Map.ofEntries(
                Map.entry(String.class, ONE),
                Map.entry(byte[].class, ONE.getBytes(StandardCharsets.US_ASCII)),
                Map.entry(long.class, 1L),
                Map.entry(int.class, 1),
                Map.entry(double.class, 1.0),
                Map.entry(Double.class, 1.0),
                Map.entry(boolean.class, true),
                Map.entry(Duration.class, Duration.ofMillis(1)),
                Map.entry(SetOptions.class, SetOptions.IF_ABSENT.expiringIn(Duration.ofSeconds(1))),
                Map.entry(Expiry.class, Expiry.at(Instant.ofEpochSecond(4_000_000_000L))),
                Map.entry(Instant.class, Instant.ofEpochSecond(4_000_000_000L)),
                Map.entry(MemberRange.class, MemberRange.ALL.from(ONE, true)),
                Map.entry(SortOptions.class, SortOptions.DEFAULT.asText().limit(0, 1)),
                Map.entry(ScanOptions.class, ScanOptions.DEFAULT.withMatch(ONE)),
                Map.entry(ScoreRange.class, ScoreRange.open(0, 1)),
                Map.entry(
                        SortedRange.class,
                        SortedRange.ofScores(ScoreRange.ALL).reversed().limit(0, 1)),
                Map.entry(BitField.class, BitField.begin().failing().set("u8", 0, 1)),
                Map.entry(GeoPosition.class, new GeoPosition(1, 1)),
                Map.entry(
                        GeoSearch.class,
                        GeoSearch.circle(new GeoPosition(1, 1), 1).limit(1)),
                Map.entry(Script.class, Script.of("return 1")),
                Map.entry(TrimOptions.class, TrimOptions.toLength(1)));
        Object sample = samples.get(type);
        if (sample == null) {
            throw new AssertionError("no sample of " + type.getName());
        }
        return sample;
    }
}
