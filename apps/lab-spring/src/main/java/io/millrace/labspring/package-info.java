// SPDX-License-Identifier: Apache-2.0
/** Programs of the lab that use Spring Boot. */
@NullMarked
package io.millrace.labspring;

import org.jspecify.annotations.NullMarked;
