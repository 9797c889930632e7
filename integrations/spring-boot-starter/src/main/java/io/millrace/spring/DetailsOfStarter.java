// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

/** Details that the starter creates. Their text is the address with its source, and has no login. */
interface DetailsOfStarter extends MillraceConnectionDetails {}
