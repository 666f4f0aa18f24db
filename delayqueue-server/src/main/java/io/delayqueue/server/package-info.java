/** The queue as a program, for clients that use only HTTP. */
@NullMarked
package io.delayqueue.server;

import org.jspecify.annotations.NullMarked;
