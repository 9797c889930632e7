// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.millrace.load.source;

import org.jspecify.annotations.NullMarked;
