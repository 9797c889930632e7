// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.millrace.labvertx;

import org.jspecify.annotations.NullMarked;
