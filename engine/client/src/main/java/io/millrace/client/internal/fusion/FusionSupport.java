// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.client.command.Fusion;
import io.millrace.resp.Reply;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Determines which fused commands a server supports. The reply to {@code HELLO} contains the name and the version of
 * the server. Without this reply, or for an unknown server, no command is fused. The user's permissions are tested by
 * queueing the commands in a transaction that is then discarded.
 */
public final class FusionSupport {

    private static final Pattern VERSION = Pattern.compile("(\\d{1,6})\\.(\\d{1,6})(\\D.*)?");

    private FusionSupport() {}

    /** Returns the fusion kinds in {@code wanted} that a server with this {@code hello} reply supports. */
    public static Set<Fusion> of(Reply hello, Set<Fusion> wanted) {
        Optional<String> server = field(hello, "server");
        Matcher version = VERSION.matcher(field(hello, "version").orElse(""));
        if (server.isEmpty() || !version.matches()) {
            return Fusion.NONE;
        }
        long number = Long.parseLong(version.group(1)) * 1_000_000 + Long.parseLong(version.group(2));
        // On a cluster, the keys of a batch may be in different hash slots. So only commands on one key are fused
        // there.
        boolean anyKeys = !field(hello, "mode").orElse("").equals("cluster");
        return switch (server.get().toLowerCase(Locale.ROOT)) {
            case "redis" -> known(wanted, anyKeys, number >= 6_000_002, number >= 8_000_004);
            case "valkey" -> known(wanted, anyKeys, true, number >= 9_000_001);
            default -> Fusion.NONE;
        };
    }

    private static Set<Fusion> known(Set<Fusion> wanted, boolean anyKeys, boolean is62, boolean is84) {
        return selected(wanted, kind -> {
            FusionRule rule = FusionRule.of(kind);
            boolean known = switch (rule.since()) {
                case HELLO -> true;
                case REDIS_6_2 -> is62;
                case REDIS_8_4 -> is84;
            };
            return known && (anyKeys || rule.onOneKey());
        });
    }

    private static Set<Fusion> selected(Collection<Fusion> kinds, Predicate<Fusion> which) {
        Set<Fusion> selected = EnumSet.noneOf(Fusion.class);
        kinds.stream().filter(which).forEach(selected::add);
        return selected;
    }

    private static Optional<String> field(Reply hello, String name) {
        if (hello instanceof Reply.MapReply map) {
            for (int i = 0; i + 1 < map.keysAndValues().size(); i += 2) {
                if (text(map.keysAndValues().get(i)).equals(name)) {
                    return Optional.of(text(map.keysAndValues().get(i + 1)));
                }
            }
        }
        return Optional.empty();
    }

    private static String text(Reply reply) {
        return switch (reply) {
            case Reply.BulkString bulk -> bulk.text();
            case Reply.SimpleString simple -> simple.text();
            default -> "";
        };
    }

    /**
     * Returns commands that test whether a user may run the fused commands of {@code kinds}. The caller queues these
     * commands in a transaction; the replies show the result.
     */
    public static List<List<String>> examples(Collection<Fusion> kinds) {
        return kinds.stream().map(kind -> FusionRule.of(kind).exampleCommand()).toList();
    }

    /**
     * Returns whether commands of {@code kind} may be fused for a user, given the reply {@code queued} to the
     * {@linkplain #examples example}. For a user with access to some keys only, commands on several keys must not be
     * fused: one denied key would also fail the commands on the permitted keys.
     */
    public static boolean isPermitted(Fusion kind, Reply queued) {
        if (!(queued instanceof Reply.ErrorReply error)) {
            return true;
        }
        boolean ofKey = error.code().equals("NOPERM") && !deniesCommand(error);
        return ofKey && FusionRule.of(kind).onOneKey();
    }

    /** Returns true if the user may not run the command, and false if the user may not use the key. */
    static boolean deniesCommand(Reply.ErrorReply noPermission) {
        return noPermission.message().contains("run the");
    }
}
