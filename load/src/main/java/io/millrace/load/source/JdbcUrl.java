// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A JDBC URL, split into its secrets and the rest.
 *
 * <pre>
 *   jdbc:postgresql://ada:pw@db.example:5432/shop?password=x&amp;ssl=true      as given
 *   jdbc:postgresql://db.example:5432/shop?ssl=true                        name
 * </pre>
 *
 * @param text the URL as given
 * @param name the URL without user, password and other secrets
 * @param user user name before the {@code @}, decoded
 * @param password password before the {@code @}, decoded
 * @param namesUser whether a property of the URL contains the user name
 * @param namesPassword whether a property of the URL contains the password
 * @param secrets values that must not appear in any output
 */
record JdbcUrl(
        String text,
        String name,
        Optional<String> user,
        Optional<String> password,
        boolean namesUser,
        boolean namesPassword,
        List<String> secrets) {

    private static final List<String> SECRET_PARTS =
            List.of("pass", "pwd", "secret", "token", "apikey", "credential", "key");
    private static final List<String> USER_NAMES = List.of("user", "username", "uid", "userid");

    private static final List<String> PASSWORD_NAMES = List.of("password", "passwd", "pass", "pwd");

    /** The beginning of a URL such as {@code jdbc:oracle:thin:scott/tiger@//host}. */
    private static final Pattern ORACLE = Pattern.compile("jdbc:oracle:\\w+:", Pattern.CASE_INSENSITIVE);

    static JdbcUrl of(String text) {
        return new Splitter(text).split();
    }

    /** The word after {@code jdbc:}, in lower case. */
    String scheme() {
        String[] parts = text.split(":", 3);
        return parts.length < 2 ? "" : parts[1].toLowerCase(Locale.ROOT);
    }

    /** The URL without the part before {@code @}, for a driver that does not support this part. */
    String withoutUserInfo() {
        int at = userInfoEnd(text);
        return at < 0 ? text : text.substring(0, userInfoBegin(text)) + text.substring(at + 1);
    }

    @Override
    public String toString() {
        return name;
    }

    /**
     * The position of the {@code @} after user and password; -1 if there is none. A password may contain characters
     * that should be percent-encoded, such as a second {@code @}. The position is then chosen so that the whole
     * password is hidden.
     */
    private static int userInfoEnd(String text) {
        int begin = userInfoBegin(text);
        if (begin < 0) {
            return -1;
        }
        int properties = begin;
        while (properties < text.length() && "?;".indexOf(text.charAt(properties)) < 0) {
            properties++;
        }
        int at = text.lastIndexOf('@', properties - 1);
        if (at >= begin) {
            return at;
        }
        boolean pathSeen = text.substring(begin, properties).contains("/");
        return pathSeen ? -1 : Math.max(-1, text.lastIndexOf('@'));
    }

    /**
     * The position where user and password would begin; -1 for a URL that cannot contain them, such as the URL of a
     * file.
     */
    private static int userInfoBegin(String text) {
        Matcher oracle = ORACLE.matcher(text);
        if (oracle.lookingAt()) {
            return oracle.end();
        }
        int slashes = text.indexOf("//");
        return slashes < 0 ? -1 : slashes + 2;
    }

    private static final class Splitter {

        private final String text;
        private final List<String> secrets = new ArrayList<>();
        private final StringBuilder name = new StringBuilder();
        private Optional<String> user = Optional.empty();
        private Optional<String> password = Optional.empty();
        private boolean namesUser;
        private boolean namesPassword;

        Splitter(String text) {
            this.text = text;
        }

        JdbcUrl split() {
            int begin = userInfoBegin(text);
            int at = userInfoEnd(text);
            String server = text;
            if (at >= begin && begin >= 0) {
                userInfo(text.substring(begin, at));
                server = text.substring(0, begin) + text.substring(at + 1);
            }
            properties(server);
            return new JdbcUrl(text, name.toString(), user, password, namesUser, namesPassword, List.copyOf(secrets));
        }

        private void userInfo(String info) {
            String[] parts = info.split("[:/]", 2);
            user = Optional.of(JdbcUrlRules.decoded(parts[0])).filter(text -> !text.isEmpty());
            if (parts.length == 2) {
                secret(parts[1]);
                password = Optional.of(JdbcUrlRules.decoded(parts[1]));
            }
        }

        /** Copies {@code server} to {@link #name}, property by property. Leaves out user names and secrets. */
        private void properties(String server) {
            int i = 0;
            while (i < server.length()) {
                char c = server.charAt(i);
                int end = "?&;(,".indexOf(c) < 0 ? -1 : valueEnd(server, i);
                int equals = server.indexOf('=', i);
                if (end < 0 || equals < 0 || equals > end || !drop(server, i, equals, end)) {
                    name.append(c);
                    i++;
                } else {
                    i = afterDropped(server, c, end);
                }
            }
            if (!name.isEmpty() && "?&;".indexOf(name.charAt(name.length() - 1)) >= 0) {
                name.setLength(name.length() - 1);
            }
        }

        private boolean drop(String server, int separator, int equals, int end) {
            String property = JdbcUrlRules.decoded(server.substring(separator + 1, equals))
                    .strip()
                    .replace("\\", "")
                    .toUpperCase(Locale.ROOT)
                    .toLowerCase(Locale.ROOT);
            namesPassword |= PASSWORD_NAMES.contains(property);
            if (USER_NAMES.contains(property)) {
                namesUser = true;
                return true;
            }
            boolean isSecret = SECRET_PARTS.stream().anyMatch(property::contains);
            if (isSecret) {
                secret(server.substring(equals + 1, end));
            }
            return isSecret;
        }

        /**
         * Returns the end of the property that begins after {@code separator}. The separator decides which character
         * ends the property: for example, a password after {@code ?} may contain a semicolon.
         */
        private static int valueEnd(String server, int separator) {
            String ends = switch (server.charAt(separator)) {
                case ';' -> ";";
                case '(', ',' -> ",)";
                default -> "&";
            };
            int i = separator + 1;
            while (i < server.length() && ends.indexOf(server.charAt(i)) < 0) {
                i += server.charAt(i) == '\\' && ends.equals(";") ? 2 : 1;
            }
            return Math.min(i, server.length());
        }

        /**
         * Returns the position at which copying continues after a dropped property. If the dropped property was the
         * first property, its separator {@code ?} or {@code (} is copied, and the next property follows this separator.
         */
        private int afterDropped(String server, char separator, int end) {
            boolean first = separator == '?' || separator == '(';
            if (first) {
                name.append(separator);
                boolean more = end < server.length() && (server.charAt(end) == '&' || server.charAt(end) == ',');
                if (more) {
                    return dropNext(server, end);
                }
            }
            return end;
        }

        private int dropNext(String server, int separator) {
            int end = valueEnd(server, separator);
            int equals = server.indexOf('=', separator);
            if (equals < 0 || equals > end || !drop(server, separator, equals, end)) {
                return separator + 1;
            }
            return end < server.length() && server.charAt(end) != ')' ? dropNext(server, end) : end;
        }

        private void secret(String value) {
            for (String form : List.of(value, JdbcUrlRules.decoded(value), value.replace("\\", ""))) {
                if (!form.isEmpty() && !secrets.contains(form)) {
                    secrets.add(form);
                }
            }
        }
    }
}
