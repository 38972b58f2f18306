// Closes the window that a viewer has opened for a login; others stay.
window.close();
