/** Whether an application that ends waits for its running handlers. */
package io.delayqueue.autoconfigure.stop;
