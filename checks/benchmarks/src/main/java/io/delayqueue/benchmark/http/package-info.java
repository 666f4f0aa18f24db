/** The HTTP interfaces of the product, and a client that uses little CPU time. */
@NullMarked
package io.delayqueue.benchmark.http;

import org.jspecify.annotations.NullMarked;
