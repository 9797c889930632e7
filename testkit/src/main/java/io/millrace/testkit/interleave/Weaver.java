// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Copies one class and inserts points into its methods.
 *
 * <p>A point takes nothing from the stack and leaves nothing on it, so the stack map frames of the original stay valid.
 * A reference to a method of the JDK ({@code flag::get}) cannot have a point before it. It is replaced by a reference
 * to a method of the woven class, which has the point.
 */
final class Weaver extends ClassVisitor {

    private static final String BRIDGE = "interleave$";

    private final FieldModifiers fieldModifiers;
    private final boolean plainAccess;
    private final String owner;
    private final boolean isInterface;
    private final List<Bridge> bridges = new ArrayList<>();

    private Weaver(ClassReader reader, ClassWriter writer, FieldModifiers fieldModifiers, boolean plainAccess) {
        super(Opcodes.ASM9, writer);
        this.fieldModifiers = fieldModifiers;
        this.plainAccess = plainAccess;
        this.owner = reader.getClassName();
        this.isInterface = (reader.getAccess() & Opcodes.ACC_INTERFACE) != 0;
    }

    /** A synthetic method that calls the target of {@code target}. */
    private record Bridge(String name, String descriptor, Handle target) {}

    @Override
    public void visit(
            int version,
            int access,
            String name,
            @Nullable String signature,
            String superName,
            String @Nullable [] interfaces) {
        if (!Replacements.ofType(superName).equals(superName)) {
            throw new UnsupportedOperationException("a class must not extend a class that schedules replace: class="
                    + name + ", superclass=" + superName);
        }
        super.visit(version, access, name, signature, superName, interfaces);
    }

    /** Returns the class file {@code original} with points. */
    static byte[] weave(byte[] original, FieldModifiers fieldModifiers, boolean plainAccess) {
        ClassReader reader = new ClassReader(original);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new Weaver(reader, writer, fieldModifiers, plainAccess), 0);
        return writer.toByteArray();
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String name, String descriptor, @Nullable String signature, String @Nullable [] exceptions) {
        MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
        Place place = new Place(owner, name, (access & Opcodes.ACC_SYNCHRONIZED) != 0);
        return new MethodWeaver(next, place, fieldModifiers, plainAccess, this::bridge);
    }

    @Override
    public void visitEnd() {
        for (Bridge bridge : bridges) {
            int access = Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC;
            MethodVisitor body = visitMethod(access, bridge.name, bridge.descriptor, null, null);
            body.visitCode();
            int local = 0;
            for (Type argument : Type.getArgumentTypes(bridge.descriptor)) {
                body.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), local);
                local += argument.getSize();
            }
            Handle target = bridge.target;
            body.visitMethodInsn(
                    opcode(target), target.getOwner(), target.getName(), target.getDesc(), target.isInterface());
            body.visitInsn(Type.getReturnType(bridge.descriptor).getOpcode(Opcodes.IRETURN));
            body.visitMaxs(0, 0);
            body.visitEnd();
        }
        super.visitEnd();
    }

    /** The method reference to use instead of {@code target}. */
    private Handle bridge(Handle target) {
        int tag = target.getTag();
        if (tag == Opcodes.H_NEWINVOKESPECIAL) {
            return new Handle(tag, Replacements.ofType(target.getOwner()), target.getName(), target.getDesc(), false);
        }
        boolean called =
                tag == Opcodes.H_INVOKESTATIC || tag == Opcodes.H_INVOKEVIRTUAL || tag == Opcodes.H_INVOKEINTERFACE;
        boolean isStatic = tag == Opcodes.H_INVOKESTATIC;
        if (!called || !MethodWeaver.changes(isStatic, target.getOwner(), target.getName(), target.getDesc())) {
            return target;
        }
        String receiver = isStatic ? "" : Type.getObjectType(target.getOwner()).getDescriptor();
        String descriptor = "(" + receiver + target.getDesc().substring(1);
        Bridge bridge = new Bridge(BRIDGE + bridges.size(), descriptor, target);
        bridges.add(bridge);
        return new Handle(Opcodes.H_INVOKESTATIC, owner, bridge.name, descriptor, isInterface);
    }

    private static int opcode(Handle target) {
        return switch (target.getTag()) {
            case Opcodes.H_INVOKESTATIC -> Opcodes.INVOKESTATIC;
            case Opcodes.H_INVOKEINTERFACE -> Opcodes.INVOKEINTERFACE;
            default -> Opcodes.INVOKEVIRTUAL;
        };
    }

    /**
     * The method being woven.
     *
     * @param owner class of the method, with slashes
     * @param isSynchronized whether its calls hold a monitor
     */
    record Place(String owner, String method, boolean isSynchronized) {

        boolean isConstructor() {
            return method.equals("<init>");
        }

        boolean isInitializer() {
            return method.equals("<clinit>");
        }

        /** The position of {@code access} as text. */
        String at(int line, String access) {
            return simple(owner) + "." + method + ":" + line + " " + access;
        }

        static String simple(String type) {
            return type.substring(type.lastIndexOf('/') + 1);
        }
    }
}
