// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Woven code calls this static method instead of the one of the same name in that class. A receiver is its first argument. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Instead {

    /** The class of the method, whose subclasses are meant too. */
    Class<?> of();
}
