package io.delayqueue.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import io.delayqueue.Internal;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What is public and not marked as internal: types, and what their signatures name. */
record PublicApi(JavaClasses classes) {

    /** Names of the types that stand in a file of their own. */
    SortedSet<String> types() {
        return types(false).map(JavaClass::getName).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Packages without {@link Internal}, whether they have public types or not. */
    SortedSet<String> packages() {
        return classes.stream()
                .map(JavaClass::getPackage)
                .filter(any -> !any.isAnnotatedWith(Internal.class))
                .map(any -> any.getName())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Where a signature of the API, or what a type of it extends, names a type of the queue that is not API. */
    List<String> leaks() {
        return types(true)
                .flatMap(type -> Stream.concat(
                        leaks(type.getName(), supertypes(type)),
                        type.getMembers().stream()
                                .filter(PublicApi::isVisible)
                                .flatMap(member -> leaks(member.getFullName(), named(member)))))
                .sorted()
                .toList();
    }

    private Stream<JavaClass> types(boolean nested) {
        return classes.stream()
                .filter(type -> nested || type.getEnclosingClass().isEmpty())
                .filter(PublicApi::isApi);
    }

    private static Stream<String> leaks(String where, Stream<JavaType> types) {
        return types.flatMap(type -> type.getAllInvolvedRawTypes().stream())
                .map(JavaClass::getBaseComponentType)
                .filter(type -> type.getPackageName().startsWith("io.delayqueue") && !isApi(type))
                .map(JavaClass::getName)
                .distinct()
                .map(type -> where + " names " + type);
    }

    private static Stream<JavaType> supertypes(JavaClass type) {
        return Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream());
    }

    private static Stream<JavaType> named(JavaMember member) {
        if (member instanceof JavaField field) {
            return Stream.of(field.getType());
        }
        JavaCodeUnit code = (JavaCodeUnit) member;
        return Stream.of(
                        Stream.of(code.getReturnType()),
                        code.getParameterTypes().stream(),
                        code.getExceptionTypes().stream())
                .flatMap(types -> types);
    }

    private static boolean isVisible(JavaMember member) {
        boolean open = member.getModifiers().contains(JavaModifier.PUBLIC)
                || member.getModifiers().contains(JavaModifier.PROTECTED);
        return open
                && !member.getModifiers().contains(JavaModifier.SYNTHETIC)
                && !member.isAnnotatedWith(Internal.class);
    }

    private static boolean isApi(JavaClass type) {
        Optional<JavaClass> owner = type.getEnclosingClass();
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && !type.isAnnotatedWith(Internal.class)
                && owner.map(PublicApi::isApi)
                        .orElseGet(() -> !type.getPackage().isAnnotatedWith(Internal.class));
    }
}
