// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a static method that woven code calls instead of the method with the same name of another class. The receiver
 * is the first argument.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Replaces {

    /** The class of the replaced method. Calls on its subclasses are replaced too. */
    Class<?> type();
}
