package io.delayqueue.web.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.web.api.json.InvalidBodyException;
import java.net.URLDecoder;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of a list.
 *
 * @param count at most so many; 50, or the most that is allowed if that is less, if it isn't given
 * @param page as the page before gave it in "next"; the first if it isn't given
 */
public record PageQuery(int count, @Nullable String page) {

    private static final int USUAL = 50;

    static PageQuery read(@Nullable String query, int maxCount) {
        Map<String, String> given = parameters(query);
        String count = given.remove("count");
        String page = given.remove("page");
        if (!given.isEmpty()) {
            throw new InvalidBodyException(unknown(given) + ", but count, page.");
        }
        return new PageQuery(count == null ? Math.min(USUAL, maxCount) : number(count, maxCount), page);
    }

    /** Of what takes no parameters. */
    static void refuse(@Nullable String query) {
        Map<String, String> given = parameters(query);
        if (!given.isEmpty()) {
            throw new InvalidBodyException(unknown(given) + " here: parameters stand in the JSON body.");
        }
    }

    private static String unknown(Map<String, String> given) {
        return "There is no parameter '" + given.keySet().iterator().next() + "'";
    }

    private static int number(String count, int max) {
        try {
            int number = Integer.parseInt(count);
            if (number >= 1 && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw wrong(count, max);
        }
        throw wrong(count, max);
    }

    private static InvalidBodyException wrong(String count, int max) {
        return new InvalidBodyException(
                "The parameter 'count' is a number from 1 to " + max + ", but not '" + count + "'.");
    }

    /** Names that begin with an underscore are left to others, as Spring Security's {@code _csrf}. */
    private static Map<String, String> parameters(@Nullable String query) {
        Map<String, String> parameters = new LinkedHashMap<>();
        if (query == null) {
            return parameters;
        }
        for (String each : query.split("&", -1)) {
            int equals = each.indexOf('=');
            String name = decode(equals < 0 ? each : each.substring(0, equals));
            String value = equals < 0 ? "" : decode(each.substring(equals + 1));
            if (name.isEmpty() || name.startsWith("_")) {
                continue;
            }
            if (parameters.put(name, value) != null) {
                throw new InvalidBodyException("The parameter '" + name + "' is given more than once.");
            }
        }
        return parameters;
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, UTF_8);
        } catch (IllegalArgumentException e) {
            throw new InvalidBodyException("In the query, '" + text + "' has a percent sign without two digits.");
        }
    }
}
