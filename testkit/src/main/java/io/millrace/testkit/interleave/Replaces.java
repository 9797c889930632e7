// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a static method that replaces a method of the JDK in woven code. Both methods have the same name. If the
 * replaced method is an instance method, its receiver is the first argument of the static method.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Replaces {

    /** The class of the replaced method. Calls of this method on subclasses are replaced too. */
    Class<?> type();
}
