"""A network between point and collector that can be cut."""
import socket
import struct
import threading


class Gate:
    """Hands on connections while it is open; shut, it breaks and refuses them."""

    def __init__(self, to):
        self.to, self.is_open, self.pairs = to, True, []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.server.accept()
            if not self.is_open:
                client.close()
                continue
            server = socket.create_connection(("127.0.0.1", self.to))
            self.pairs.append((client, server))
            threading.Thread(target=self.pump, args=(client, server), daemon=True).start()

    def pump(self, client, server):
        try:
            while data := client.recv(4096):
                server.sendall(data)
        except OSError:
            pass
        for each in (client, server):
            each.close()

    def shut(self):
        self.is_open = False
        for client, server in self.pairs:
            for each in (client, server):
                try:
                    each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        self.pairs = []

    def open(self):
        self.is_open = True
