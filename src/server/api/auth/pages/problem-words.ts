// Texts of error pages below the addresses of logins, in the languages of the login pages. Plain text.

import type { words } from "./words.ts";

/** A heading, and advice. */
type ProblemText = readonly [heading: string, text: string];

export interface ProblemWords {
  /** A malformed request. */
  readonly unreadable: ProblemText;
  readonly otherSite: ProblemText;
  readonly nothing: ProblemText;
  readonly later: ProblemText;
  readonly broken: ProblemText;
  readonly startPage: string;
}

/**
 * Text for a status; any other status below 500 says that the request is unreadable, from 500 on that
 * something is broken.
 */
export const saidOf: Readonly<Record<number, keyof Omit<ProblemWords, "startPage">>> = {
  403: "otherSite",
  404: "nothing",
  429: "later",
  503: "later",
};

export const problemWords: Readonly<Record<keyof typeof words, ProblemWords>> = {
  en: {
    unreadable: ["That did not work", "The request could not be read. Go back and try again."],
    otherSite: [
      "Sent from another site",
      "This form came from a page of another site. Open the login here and try again.",
    ],
    nothing: [
      "There is nothing here",
      "There is nothing at this address. Go back to the image and follow the link there.",
    ],
    later: ["Not possible at the moment", "Wait a moment and try again."],
    broken: ["Something went wrong", "The error is on our side. Try again later."],
    startPage: "To the start page",
  },
  de: {
    unreadable: [
      "Das hat nicht geklappt",
      "Die Anfrage war nicht lesbar. Gehen Sie zurück und versuchen Sie es noch einmal.",
    ],
    otherSite: [
      "Von einer anderen Website gesendet",
      "Dieses Formular kam von einer Seite einer anderen Website. Öffnen Sie die Anmeldung hier und versuchen Sie es noch einmal.",
    ],
    nothing: [
      "Hier ist nichts",
      "Unter dieser Adresse gibt es nichts. Gehen Sie zurück zum Bild und folgen Sie dem Link dort.",
    ],
    later: ["Im Moment nicht möglich", "Warten Sie einen Augenblick und versuchen Sie es noch einmal."],
    broken: ["Etwas ist schiefgegangen", "Der Fehler liegt bei uns. Versuchen Sie es später noch einmal."],
    startPage: "Zur Startseite",
  },
  fr: {
    unreadable: [
      "Cela n’a pas fonctionné",
      "La demande n’a pas pu être lue. Revenez en arrière et réessayez.",
    ],
    otherSite: [
      "Envoyé depuis un autre site",
      "Ce formulaire vient d’une page d’un autre site. Ouvrez ici la page de connexion et réessayez.",
    ],
    nothing: [
      "Il n’y a rien ici",
      "Il n’y a rien à cette adresse. Revenez à l’image et suivez le lien qui s’y trouve.",
    ],
    later: ["Impossible pour le moment", "Attendez un instant et réessayez."],
    broken: ["Une erreur est survenue", "L’erreur vient de notre côté. Réessayez plus tard."],
    startPage: "Vers la page d’accueil",
  },
  es: {
    unreadable: ["No ha funcionado", "No se ha podido leer la solicitud. Vuelva atrás e inténtelo de nuevo."],
    otherSite: [
      "Enviado desde otro sitio",
      "Este formulario viene de una página de otro sitio. Abra aquí el inicio de sesión e inténtelo de nuevo.",
    ],
    nothing: [
      "Aquí no hay nada",
      "En esta dirección no hay nada. Vuelva a la imagen y siga el enlace que hay allí.",
    ],
    later: ["No es posible en este momento", "Espere un momento e inténtelo de nuevo."],
    broken: ["Algo ha fallado", "El error es nuestro. Inténtelo de nuevo más tarde."],
    startPage: "A la página de inicio",
  },
  it: {
    unreadable: [
      "Non ha funzionato",
      "Non è stato possibile leggere la richiesta. Torni indietro e riprovi.",
    ],
    otherSite: [
      "Inviato da un altro sito",
      "Questo modulo viene da una pagina di un altro sito. Apra qui la pagina di accesso e riprovi.",
    ],
    nothing: [
      "Qui non c’è nulla",
      "A questo indirizzo non c’è nulla. Torni all’immagine e segua il collegamento che vi si trova.",
    ],
    later: ["Al momento non è possibile", "Attenda un momento e riprovi."],
    broken: ["Qualcosa è andato storto", "L’errore è dalla nostra parte. Riprovi più tardi."],
    startPage: "Alla pagina iniziale",
  },
  nl: {
    unreadable: [
      "Dat is niet gelukt",
      "Het verzoek kon niet worden gelezen. Ga terug en probeer het opnieuw.",
    ],
    otherSite: [
      "Verstuurd vanaf een andere site",
      "Dit formulier komt van een pagina van een andere site. Open de inlogpagina hier en probeer het opnieuw.",
    ],
    nothing: [
      "Hier is niets",
      "Op dit adres is niets te vinden. Ga terug naar de afbeelding en volg de link daar.",
    ],
    later: ["Op dit moment niet mogelijk", "Wacht even en probeer het opnieuw."],
    broken: ["Er is iets misgegaan", "De fout ligt bij ons. Probeer het later opnieuw."],
    startPage: "Naar de startpagina",
  },
};
