/** Task processing in Reactor. */
@NullMarked
package io.millrace.lab.tasks.reactor;

import org.jspecify.annotations.NullMarked;
