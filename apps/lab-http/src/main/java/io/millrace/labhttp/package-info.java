// SPDX-License-Identifier: Apache-2.0
/** Programs of the lab that serve HTTP, with Millrace's server, Spring Boot and Helidon. */
@NullMarked
package io.millrace.labhttp;

import org.jspecify.annotations.NullMarked;
