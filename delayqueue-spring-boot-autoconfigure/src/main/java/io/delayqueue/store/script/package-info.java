/**
 * The store on Redis: one Lua script per verb, beside these classes among the resources, and the code that speaks with
 * it. Only the assembly of the engine names these types; everybody else sees {@link io.delayqueue.store.MessageStore}.
 */
@NullMarked
package io.delayqueue.store.script;

import org.jspecify.annotations.NullMarked;
