// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Reads the modifiers of fields, such as final and volatile, from class files. Reflection cannot be used, because a
 * class must be woven before it is loaded. Not thread-safe.
 */
final class FieldModifiers {

    private final Function<String, Optional<byte[]>> classFiles;
    private final Map<String, Declared> classes = new HashMap<>();

    /**
     * @param classFiles function from the name of a class, with slashes, to its class file. The result is empty for
     *     classes that are not woven
     */
    FieldModifiers(Function<String, Optional<byte[]>> classFiles) {
        this.classFiles = classFiles;
    }

    /** Whether {@code field} is not final. False for all fields of classes that are not woven. */
    boolean isVariable(String owner, String field) {
        int access = access(owner, field);
        return access >= 0 && (access & Opcodes.ACC_FINAL) == 0;
    }

    boolean isVolatile(String owner, String field) {
        int access = access(owner, field);
        return access >= 0 && (access & Opcodes.ACC_VOLATILE) != 0;
    }

    /** The modifiers of the field as bits, or -1 if the field is not in a woven class. */
    private int access(@Nullable String owner, String field) {
        @Nullable String type = owner;
        while (type != null) {
            @Nullable Declared declared = declared(type);
            Integer access = declared == null ? Integer.valueOf(-1) : declared.fields.get(field);
            if (access != null) {
                return access;
            }
            type = declared == null ? null : declared.superclass;
        }
        return -1;
    }

    private @Nullable Declared declared(String type) {
        @Nullable Declared known = classes.get(type);
        if (known == null) {
            known = classFiles.apply(type).map(FieldModifiers::read).orElse(null);
            if (known != null) {
                classes.put(type, known);
            }
        }
        return known;
    }

    private static Declared read(byte[] file) {
        ClassReader reader = new ClassReader(file);
        Declared declared = new Declared(reader.getSuperName(), new HashMap<>());
        ClassVisitor visitor = new ClassVisitor(Opcodes.ASM9) {
            @Override
            public @Nullable FieldVisitor visitField(
                    int access, String name, String descriptor, @Nullable String signature, @Nullable Object value) {
                declared.fields.put(name, access);
                return null;
            }
        };
        reader.accept(visitor, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return declared;
    }

    private record Declared(@Nullable String superclass, Map<String, Integer> fields) {}
}
