// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.Optional;
import java.util.function.UnaryOperator;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Puts points into one method, and calls of the schedule in the place of those of the JDK. */
final class MethodWeaver extends MethodVisitor {

    private static final String POINTS = Type.getInternalName(Points.class);

    private final Weaver.Place place;
    private final Fields fields;
    private final boolean plainAccess;
    private final UnaryOperator<Handle> bridge;
    private int line;

    MethodWeaver(
            MethodVisitor next, Weaver.Place place, Fields fields, boolean plainAccess, UnaryOperator<Handle> bridge) {
        super(Opcodes.ASM9, next);
        this.place = place;
        this.fields = fields;
        this.plainAccess = plainAccess;
        this.bridge = bridge;
    }

    /** Whether a call of this method is not left as it is. */
    static boolean changes(boolean isStatic, String owner, String name, String descriptor) {
        return Replacements.isUnsupported(owner, name)
                || Replacements.ofCall(isStatic, owner, name, descriptor).isPresent()
                || (!isStatic && Replacements.isShared(owner, name));
    }

    @Override
    public void visitLineNumber(int number, Label start) {
        line = number;
        super.visitLineNumber(number, start);
    }

    @Override
    public void visitCode() {
        super.visitCode();
        if (place.isSynchronized()) {
            refuse("synchronized");
        }
        if (place.isInitializer()) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, POINTS, "enterInitializer", "()V", false);
        }
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == Opcodes.MONITORENTER) {
            refuse("synchronized");
        } else if (opcode == Opcodes.RETURN && place.isInitializer()) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, POINTS, "leaveInitializer", "()V", false);
        } else if (plainAccess && opcode >= Opcodes.IALOAD && opcode <= Opcodes.SALOAD) {
            point("read of an element");
        } else if (plainAccess && opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE) {
            point("write of an element");
        }
        super.visitInsn(opcode);
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        // Nobody else has seen the object yet: a constructor that lets it escape is a finding for a reader.
        boolean own = place.isConstructor() && owner.equals(place.owner());
        boolean seen = plainAccess ? fields.isVariable(owner, name) : fields.isVolatile(owner, name);
        if (seen && !own) {
            boolean read = opcode == Opcodes.GETFIELD || opcode == Opcodes.GETSTATIC;
            point((read ? "read of " : "write of ") + name);
        }
        super.visitFieldInsn(opcode, owner, name, descriptor);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        super.visitTypeInsn(opcode, opcode == Opcodes.NEW ? Replacements.ofType(type) : type);
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        if (Replacements.isUnsupported(owner, name)) {
            refuse(Weaver.Place.simple(owner) + "." + name);
        }
        if (opcode == Opcodes.INVOKESPECIAL) {
            String made = name.equals("<init>") ? Replacements.ofType(owner) : owner;
            super.visitMethodInsn(opcode, made, name, descriptor, isInterface);
            return;
        }
        boolean isStatic = opcode == Opcodes.INVOKESTATIC;
        Optional<Replacements.Replacement> replacement = Replacements.ofCall(isStatic, owner, name, descriptor);
        if (replacement.isPresent() || (!isStatic && Replacements.isShared(owner, name))) {
            point(Weaver.Place.simple(owner) + "." + name);
        }
        if (replacement.isPresent()) {
            Replacements.Replacement called = replacement.get();
            super.visitMethodInsn(Opcodes.INVOKESTATIC, called.owner(), called.name(), called.descriptor(), false);
        } else {
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
        Object[] bridged = arguments.clone();
        if (bootstrap.getOwner().equals("java/lang/invoke/LambdaMetafactory")) {
            for (int i = 0; i < bridged.length; i++) {
                bridged[i] = bridged[i] instanceof Handle target ? bridge.apply(target) : bridged[i];
            }
        }
        super.visitInvokeDynamicInsn(name, descriptor, bootstrap, bridged);
    }

    private void point(String what) {
        super.visitLdcInsn(Sites.number(place.at(line, what)));
        super.visitMethodInsn(Opcodes.INVOKESTATIC, POINTS, "at", "(I)V", false);
    }

    private void refuse(String what) {
        super.visitLdcInsn(place.at(line, what));
        super.visitMethodInsn(Opcodes.INVOKESTATIC, POINTS, "unsupported", "(Ljava/lang/String;)V", false);
    }
}
