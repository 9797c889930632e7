// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.Optional;
import java.util.function.UnaryOperator;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Inserts schedule points into one method. Replaces calls of JDK methods by calls of methods that the schedule
 * controls.
 */
final class MethodWeaver extends MethodVisitor {

    private static final String POINTS = Type.getInternalName(SchedulePoints.class);

    private final Weaver.Place place;
    private final FieldModifiers fieldModifiers;
    private final boolean plainAccess;
    private final UnaryOperator<Handle> bridge;
    private int line;

    MethodWeaver(
            MethodVisitor next,
            Weaver.Place place,
            FieldModifiers fieldModifiers,
            boolean plainAccess,
            UnaryOperator<Handle> bridge) {
        super(Opcodes.ASM9, next);
        this.place = place;
        this.fieldModifiers = fieldModifiers;
        this.plainAccess = plainAccess;
        this.bridge = bridge;
    }

    /**
     * Whether the weaver changes a call of this method: it may insert a schedule point, replace the call, or reject the
     * call.
     */
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
            point("read of an array element");
        } else if (plainAccess && opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE) {
            point("write of an array element");
        }
        super.visitInsn(opcode);
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        // A constructor needs no schedule points for the fields of its object, because no other thread has a reference
        // to the object yet. This is wrong if the constructor publishes the object. Schedules do not find that error;
        // only a code review finds it.
        boolean own = place.isConstructor() && owner.equals(place.owner());
        boolean seen = plainAccess ? fieldModifiers.isVariable(owner, name) : fieldModifiers.isVolatile(owner, name);
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
            String created = name.equals("<init>") ? Replacements.ofType(owner) : owner;
            super.visitMethodInsn(opcode, created, name, descriptor, isInterface);
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

    private void point(String access) {
        super.visitLdcInsn(PointSites.number(place.at(line, access)));
        super.visitMethodInsn(Opcodes.INVOKESTATIC, POINTS, "at", "(I)V", false);
    }

    private void refuse(String access) {
        super.visitLdcInsn(place.at(line, access));
        super.visitMethodInsn(Opcodes.INVOKESTATIC, POINTS, "unsupported", "(Ljava/lang/String;)V", false);
    }
}
