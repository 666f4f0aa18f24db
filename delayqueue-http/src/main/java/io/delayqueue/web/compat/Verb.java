package io.delayqueue.web.compat;

import io.delayqueue.management.guard.Permission;
import io.delayqueue.web.compat.CompatRequest.Field;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The operations, each with its path. */
enum Verb {
    PUSH("添加失败"),
    POP("获取Job失败"),
    FINISH("删除失败"),
    DELETE("删除失败"),
    GET("查询失败");

    private final String path = "/" + name().toLowerCase(Locale.ROOT);
    private final String failure;

    Verb(String failure) {
        this.failure = failure;
    }

    static @Nullable Verb at(@Nullable String path) {
        for (Verb verb : values()) {
            if (verb.path.equals(path)) {
                return verb;
            }
        }
        return null;
    }

    String path() {
        return path;
    }

    /** Returns the name for meters. */
    String operation() {
        return path.substring(1);
    }

    /** Returns the fields of a request. Other fields are ignored. */
    Set<Field> fields() {
        return switch (this) {
            case PUSH -> EnumSet.allOf(Field.class);
            case POP -> EnumSet.of(Field.TOPIC);
            case FINISH, DELETE, GET -> EnumSet.of(Field.ID);
        };
    }

    /** Returns the sufficient permissions. */
    Permission[] permissions() {
        return switch (this) {
            case PUSH -> new Permission[] {Permission.PRODUCE};
            case POP, FINISH -> new Permission[] {Permission.CONSUME};
            case DELETE, GET -> new Permission[] {Permission.PRODUCE, Permission.CONSUME};
        };
    }

    /** Returns the response to a failed request. */
    byte[] failed(@Nullable String sentence) {
        return ResponseBody.failed(failure + ": " + sentence);
    }
}
