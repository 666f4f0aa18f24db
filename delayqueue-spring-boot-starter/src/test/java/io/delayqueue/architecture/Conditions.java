package io.delayqueue.architecture;

import static com.tngtech.archunit.lang.SimpleConditionEvent.violated;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/** The conditions that ArchUnit's language has no words for. */
final class Conditions {

    private static final String PACKAGE_INFO = "package-info";

    private Conditions() {}

    static ArchCondition<JavaClass> belongToALayer() {
        return condition("belong to a layer", (type, events) -> {
            String name = type.getPackageName();
            if (!ArchitectureRules.isBase(name) && ArchitectureRules.layer(ArchitectureRules.topPackage(name)) < 0) {
                events.add(violated(type, type.getName() + " belongs to no layer"));
            }
        });
    }

    static ArchCondition<JavaClass> useLowerLayersOnly() {
        return condition("use lower layers only", (type, events) -> {
            String user = ArchitectureRules.topPackage(type.getPackageName());
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                String used = ArchitectureRules.topPackage(target.getPackageName());
                if (!used.isEmpty()
                        && !used.equals(user)
                        && ArchitectureRules.layer(used) >= ArchitectureRules.layer(user)) {
                    events.add(violated(dependency, dependency.getDescription()));
                }
            }
        });
    }

    static ArchCondition<JavaClass> notAccess(String what, Predicate<CodeUnitAccessTarget> banned) {
        return condition("not use " + what, (type, events) -> {
            for (JavaAccess<?> access : type.getAccessesFromSelf()) {
                if (access.getTarget() instanceof CodeUnitAccessTarget target && banned.test(target)) {
                    events.add(violated(access, access.getDescription()));
                }
            }
        });
    }

    static ArchCondition<JavaClass> liveInANullMarkedPackage() {
        return condition("live in a package whose package-info says @NullMarked", (type, events) -> {
            boolean marked = type.getPackage().getClasses().stream()
                    .filter(sibling -> sibling.getSimpleName().equals(PACKAGE_INFO))
                    .anyMatch(info -> info.isAnnotatedWith(NullMarked.class));
            if (!marked) {
                events.add(violated(type, type.getName() + " lives in a package without a @NullMarked package-info"));
            }
        });
    }

    /** Nested classes count as the one they stand in. */
    static ArchCondition<JavaClass> beOneThatUses(String what, String... packages) {
        List<String> prefixes = Stream.of(packages).map(name -> name + ".").toList();
        SortedSet<String> users = new TreeSet<>();
        return new ArchCondition<>("be the only one that uses " + what) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                boolean uses = type.getDirectDependenciesFromSelf().stream()
                        .map(dependency -> dependency.getTargetClass().getPackageName() + ".")
                        .anyMatch(target -> prefixes.stream().anyMatch(target::startsWith));
                if (uses) {
                    users.add(outermost(type).getName());
                }
            }

            @Override
            public void finish(ConditionEvents events) {
                if (users.size() > 1) {
                    events.add(violated(users, "More than one class uses " + what + ": " + users));
                }
            }
        };
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(Conditions::outermost).orElse(type);
    }

    private static ArchCondition<JavaClass> condition(String text, BiConsumer<JavaClass, ConditionEvents> check) {
        return new ArchCondition<>(text) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                check.accept(type, events);
            }
        };
    }
}
