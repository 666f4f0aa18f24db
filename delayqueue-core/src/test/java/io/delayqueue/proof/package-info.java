/** Promises proved over thousands of messages, by what holds at the end. */
@NullMarked
package io.delayqueue.proof;

import org.jspecify.annotations.NullMarked;
