// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.millrace.spark;

import org.jspecify.annotations.NullMarked;
