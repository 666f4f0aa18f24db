/** Assembles the HTTP doors, on servlet stacks. They are closed unless a property opens them. */
@NullMarked
package io.delayqueue.autoconfigure.http;

import org.jspecify.annotations.NullMarked;
