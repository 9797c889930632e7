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
 * Copies one class and inserts schedule points into its methods.
 *
 * <p>A schedule point takes no values from the operand stack and leaves none there, so the stack map frames of the
 * original class stay valid.
 *
 * <p>A schedule point cannot be put before the call that a method reference to the JDK makes, such as {@code
 * flag::get}. So the weaver adds a method to the woven class. This method has the schedule point and calls the JDK
 * method. The method reference then refers to the added method.
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

    /** A method that the weaver adds to the woven class. It calls the method that {@code target} refers to. */
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
            throw new UnsupportedOperationException(
                    "a class under test must not extend a class that the schedule replaces by its own implementation: class="
                            + name + ", superclass=" + superName);
        }
        super.visit(version, access, name, signature, superName, interfaces);
    }

    /** Returns a copy of the class file {@code original} with schedule points. */
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

    /**
     * Returns the method reference that replaces {@code target}, or {@code target} itself if it needs no replacement.
     */
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
     * The method that is being woven.
     *
     * @param owner class of the method, with slashes
     * @param method name of the method
     * @param isSynchronized whether the method is declared with the modifier synchronized
     */
    record Place(String owner, String method, boolean isSynchronized) {

        boolean isConstructor() {
            return method.equals("<init>");
        }

        boolean isInitializer() {
            return method.equals("<clinit>");
        }

        /** Text of the site: class, method, line and {@code access}. */
        String at(int line, String access) {
            return simple(owner) + "." + method + ":" + line + " " + access;
        }

        static String simple(String type) {
            return type.substring(type.lastIndexOf('/') + 1);
        }
    }
}
