import java.nio.file.Path;
import java.time.Duration;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.io.ByteUnit;
import org.neo4j.kernel.internal.Version;

/**
 * Runs a Neo4j community server for the tests: {@code java -cp 'JARS/*' Launcher.java HOME PORT}.
 *
 * <p>{@code -Dreplan=PT1H} keeps the plan of a statement for an hour, however much was written since.
 *
 * <p>Speaks Bolt only, on 127.0.0.1 only, and wants a password. Prints {@code ready VERSION PID} once it answers.
 * Ends cleanly on SIGTERM and at the end of its standard input, so it never outlives the process that started it.
 */
final class Launcher {
    /** The server's own default, where nothing else is said. */
    private static final Duration REPLAN = Duration.parse(System.getProperty("replan", "PT10S"));

    public static void main(String[] arguments) throws Exception {
        // Also the address that routing tables name: neo4j:// connects to what it reads there.
        var address = new SocketAddress("127.0.0.1", Integer.parseInt(arguments[1]));
        var service = new DatabaseManagementServiceBuilder(Path.of(arguments[0]))
                .setConfig(BoltConnector.enabled, true)
                .setConfig(BoltConnector.listen_address, address)
                .setConfig(BoltConnector.advertised_address, address)
                .setConfig(GraphDatabaseSettings.auth_enabled, true)
                .setConfig(GraphDatabaseSettings.pagecache_memory, ByteUnit.mebiBytes(128))
                .setConfig(GraphDatabaseSettings.cypher_min_replan_interval, REPLAN)
                // A log file would take 256 MB of disk at once, for each database.
                .setConfig(GraphDatabaseSettings.preallocate_logical_logs, false)
                .setConfig(GraphDatabaseSettings.udc_enabled, false) // tests report no usage to anyone
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(service::shutdown));
        System.out.println("ready " + Version.getNeo4jVersion() + " " + ProcessHandle.current().pid());
        while (System.in.read() >= 0) {}
        System.exit(0);
    }
}
