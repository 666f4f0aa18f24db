package io.delayqueue.autoconfigure;

import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/** Recognises the threads of Reactor, which is not always on the class path. */
final class ReactorThreads {

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.scheduler.Schedulers", ReactorThreads.class.getClassLoader());

    private ReactorThreads() {}

    /** Whether the current thread is one of Reactor's that must not block. */
    static boolean currentIsNonBlocking() {
        return REACTOR && Schedulers.isInNonBlockingThread();
    }
}
