/** Ahead-of-time processing of an application that uses all modules. */
@NullMarked
package io.delayqueue.autoconfigure.aot;

import org.jspecify.annotations.NullMarked;
