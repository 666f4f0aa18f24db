@org.jspecify.annotations.NullMarked
package io.delayqueue.web.compat.ids;
