package io.delayqueue.architecture;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import java.time.Clock;
import java.time.InstantSource;
import java.util.Date;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Predicate;

/** What a call or a method reference must not be. */
final class Accesses {

    private static final String CONSTRUCTOR = "<init>";

    private static final Set<String> REFLECTION = Set.of(
            "setAccessible",
            "trySetAccessible",
            "makeAccessible",
            "getDeclaredField",
            "getDeclaredFields",
            "getDeclaredMethod",
            "getDeclaredMethods",
            "findField",
            "privateLookupIn");

    private Accesses() {}

    static Predicate<CodeUnitAccessTarget> readsTheClock() {
        return target -> is(target, System.class, "currentTimeMillis")
                || (target.getOwner().getPackageName().equals("java.time")
                        && target.getName().equals("now")
                        && !takes(target, Clock.class)
                        && !takes(target, InstantSource.class))
                || (is(target, Date.class, CONSTRUCTOR)
                        && target.getRawParameterTypes().isEmpty());
    }

    static Predicate<CodeUnitAccessTarget> makesAClock() {
        return target -> (target.getOwner().isEquivalentTo(Clock.class)
                        || target.getOwner().isEquivalentTo(InstantSource.class))
                && target.getName().startsWith("system");
    }

    static Predicate<CodeUnitAccessTarget> startsThreads(String ownBase) {
        return target -> startsAThread(target)
                || makesAnExecutor(target, ownBase)
                || is(target, Timer.class, CONSTRUCTOR)
                || is(target, ForkJoinPool.class, "commonPool")
                || usesTheCommonPool(target);
    }

    static Predicate<CodeUnitAccessTarget> reachesPrivateMembers() {
        return target -> REFLECTION.contains(target.getName())
                || target.getOwner().getPackageName().matches("org\\.eclipse\\.jetty\\..*internal.*");
    }

    private static boolean startsAThread(CodeUnitAccessTarget target) {
        return target.getOwner().isAssignableTo(Thread.class)
                && (target.getName().equals(CONSTRUCTOR)
                        || target.getName().equals("ofVirtual")
                        || target.getName().equals("ofPlatform")
                        || target.getName().equals("startVirtualThread"));
    }

    private static boolean makesAnExecutor(CodeUnitAccessTarget target, String ownBase) {
        return target.getOwner().isEquivalentTo(Executors.class)
                || (target.getName().equals(CONSTRUCTOR)
                        && target.getOwner().isAssignableTo(Executor.class)
                        && !target.getOwner().getPackageName().startsWith(ownBase));
    }

    private static boolean usesTheCommonPool(CodeUnitAccessTarget target) {
        return target.getOwner().isAssignableTo(CompletableFuture.class)
                && target.getName().endsWith("Async")
                && !takes(target, Executor.class);
    }

    private static boolean is(CodeUnitAccessTarget target, Class<?> owner, String name) {
        return target.getOwner().isEquivalentTo(owner) && target.getName().equals(name);
    }

    private static boolean takes(CodeUnitAccessTarget target, Class<?> parameter) {
        return target.getRawParameterTypes().stream().anyMatch((JavaClass type) -> type.isEquivalentTo(parameter));
    }
}
