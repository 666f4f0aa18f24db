/** Rolling upgrades: nodes of the previous release and of this build work on one Redis. */
@NullMarked
package io.delayqueue.compatibility.upgrade;

import org.jspecify.annotations.NullMarked;
