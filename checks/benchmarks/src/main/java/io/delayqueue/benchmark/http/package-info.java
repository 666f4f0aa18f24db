/** The HTTP interfaces of the product, the server whose interface one of them is, and a client that uses little CPU time. */
@NullMarked
package io.delayqueue.benchmark.http;

import org.jspecify.annotations.NullMarked;
