// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.millrace.labspring;

import org.jspecify.annotations.NullMarked;
