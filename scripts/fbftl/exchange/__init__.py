"""How clients and server exchange messages: uploads once, or rounds."""
