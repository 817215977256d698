import java.nio.file.Path;
import java.util.Map;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;

/**
 * The community server of the local image: {@code java Container HOME}, settings in {@code HOME/conf/neo4j.conf}.
 *
 * <p>{@code NEO4J_AUTH} is {@code neo4j/PASSWORD}, and counts only until the first password was changed. Prints
 * {@code Started.} when the password holds; ends cleanly on SIGTERM.
 */
final class Container {
    private static final String USER = "neo4j";

    public static void main(String[] arguments) {
        var password = password(System.getenv("NEO4J_AUTH"));
        var home = Path.of(arguments[0]);
        var service = new DatabaseManagementServiceBuilder(home)
                .loadPropertiesFromFile(home.resolve("conf/neo4j.conf"))
                .setConfig(GraphDatabaseSettings.data_directory, Path.of("/data"))
                .setConfig(GraphDatabaseSettings.auth_enabled, true)
                .setConfig(BoltConnector.enabled, true)
                .setConfig(BoltConnector.listen_address, new SocketAddress("0.0.0.0", 7687))
                // What a routing table names to a client that does not say how it called the server.
                .setConfig(BoltConnector.advertised_address, new SocketAddress("127.0.0.1", 7687))
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(service::shutdown));
        changeFirstPassword(service, password);
        System.out.println("Started.");
    }

    private static String password(String auth) {
        if (auth == null || !auth.startsWith(USER + "/")) {
            throw new IllegalArgumentException("NEO4J_AUTH has to be " + USER + "/PASSWORD");
        }
        return auth.substring(USER.length() + 1);
    }

    private static void changeFirstPassword(DatabaseManagementService service, String password) {
        var system = service.database(GraphDatabaseSettings.SYSTEM_DATABASE_NAME);
        var unchanged = system.<Boolean>executeTransactionally(
                "SHOW USERS YIELD user, passwordChangeRequired WHERE user = $user RETURN passwordChangeRequired",
                Map.of("user", USER),
                found -> found.<Boolean>columnAs("passwordChangeRequired").next());
        if (unchanged) {
            system.executeTransactionally(
                    "ALTER USER $user SET PASSWORD $password CHANGE NOT REQUIRED",
                    Map.of("user", USER, "password", password));
        }
    }
}
