@org.jspecify.annotations.NullMarked
package io.delayqueue.store.ids;
