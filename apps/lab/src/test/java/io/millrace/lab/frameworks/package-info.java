// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.millrace.lab.frameworks;

import org.jspecify.annotations.NullMarked;
