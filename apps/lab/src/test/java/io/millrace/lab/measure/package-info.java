// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.millrace.lab.measure;

import org.jspecify.annotations.NullMarked;
