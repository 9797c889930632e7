// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.testkit.Answer;
import io.millrace.testkit.ReceivedCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Collectors;

/**
 * The answers of two fake nodes. A hash slot moves from node 0 to node 1. The keys {@code {tag}0}, {@code {tag}1} and so on have
 * this slot. Counts how often the nodes execute a command for each key.
 *
 * <p>A reply to {@code INCRBY} is the number in the key, so that a test detects a reply to another command.
 */
final class MovingSlot {

    /** The kind of the redirects. */
    enum Kind {
        /** The keys 1 and 2 are at node 1, all others at node 0. */
        ASK,
        /** The first command for a key above 0 moves the slot to node 1. */
        MOVED
    }

    private static final int KEYS = 10;
    private static final String OK = "+OK\r\n";

    private final FakeCluster cluster;
    private final Kind kind;
    private final Map<String, Session> sessions = new ConcurrentHashMap<>();
    private final AtomicIntegerArray executions = new AtomicIntegerArray(KEYS);
    private volatile boolean moved;
    private volatile String tag = "";

    /** The state of a connection. Used by the thread that reads from the connection. */
    private static final class Session {
        boolean asking;
        boolean inTransaction;
        boolean aborted;
        final List<Integer> queued = new ArrayList<>();
    }

    /** Defines the answers of the nodes of {@code cluster}, which has two nodes. */
    MovingSlot(FakeCluster cluster, Kind kind) {
        this.cluster = cluster;
        this.kind = kind;
        cluster.answer(0, command -> answer(0, command));
        cluster.answer(1, command -> answer(1, command));
    }

    /** From now on, another slot moves. No commands are in flight. */
    void begin(String newTag) {
        for (int i = 0; i < KEYS; i++) {
            executions.set(i, 0);
        }
        moved = false;
        tag = newTag;
    }

    String key(int number) {
        return "{" + tag + "}" + number;
    }

    /** Whether node 1 answers the first command for this key, if the commands are sent in the order of their keys. */
    static boolean isRedirected(Kind kind, int number) {
        return number > 0 && (kind == Kind.MOVED || number <= 2);
    }

    int executions(int number) {
        return executions.get(number);
    }

    private Answer answer(int node, ReceivedCommand command) {
        Session session = sessions.computeIfAbsent(node + ":" + command.connection(), first -> new Session());
        if (command.name().equals("ASKING")) {
            session.asking = true;
            return Answer.reply(OK);
        }
        String reply = reply(node, command, session);
        session.asking &= session.inTransaction;
        return Answer.reply(reply);
    }

    private String reply(int node, ReceivedCommand command, Session session) {
        return switch (command.name()) {
            case "MULTI" -> {
                session.inTransaction = true;
                yield OK;
            }
            case "EXEC" -> endTransaction(session);
            case "INCRBY" -> reply(node, numbers(command), ":" + number(command.text(1)), session);
            case "SET", "MSET" -> reply(node, numbers(command), "+OK", session);
            default -> OK;
        };
    }

    /** The numbers in the keys of {@code command}. An argument follows each key. */
    private static List<Integer> numbers(ReceivedCommand command) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 1; i < command.arguments().size(); i += 2) {
            numbers.add(number(command.text(i)));
        }
        return numbers;
    }

    private static int number(String key) {
        return Integer.parseInt(key.substring(key.indexOf('}') + 1));
    }

    private String reply(int node, List<Integer> numbers, String executed, Session session) {
        String refusal = refusal(node, numbers, session.asking);
        if (!refusal.isEmpty()) {
            session.aborted |= session.inTransaction;
            return "-" + refusal + "\r\n";
        }
        if (session.inTransaction) {
            session.queued.addAll(numbers);
            return "+QUEUED\r\n";
        }
        numbers.forEach(executions::incrementAndGet);
        return executed + "\r\n";
    }

    /** The error of a node for a command with these keys; empty if the node executes the command. */
    private String refusal(int node, List<Integer> numbers, boolean asking) {
        if (kind == Kind.MOVED) {
            if (!moved && numbers.stream().anyMatch(number -> number > 0)) {
                moved = true;
            }
            return moved == (node == 1) ? "" : redirect(Kind.MOVED, 1 - node);
        }
        long atOther =
                numbers.stream().filter(number -> isRedirected(kind, number)).count();
        if (node == 1) {
            return asking ? "" : redirect(Kind.MOVED, 0);
        }
        return atOther == 0
                ? ""
                : atOther < numbers.size() ? "TRYAGAIN Multiple keys request during rehashing" : redirect(Kind.ASK, 1);
    }

    private String redirect(Kind answer, int node) {
        return answer + " " + KeySlot.of(key(0)) + " 127.0.0.1:"
                + cluster.node(node).port();
    }

    private String endTransaction(Session session) {
        String reply = "-EXECABORT Transaction discarded because of previous errors.\r\n";
        if (!session.aborted) {
            session.queued.forEach(executions::incrementAndGet);
            reply = session.queued.stream()
                    .map(number -> ":" + number + "\r\n")
                    .collect(Collectors.joining("", "*" + session.queued.size() + "\r\n", ""));
        }
        session.inTransaction = false;
        session.aborted = false;
        session.queued.clear();
        return reply;
    }
}
